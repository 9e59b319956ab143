"""Where things are: the project, its tests, and the data that these go by."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
DATA = TESTS / "data"
CHESS = ROOT / "examples" / "arena-chess"
