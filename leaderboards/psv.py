"""The figures of "Prior State Voting (PSV)" and their tables, with our learning curves beside the published.

python leaderboards/psv.py             writes README.md, figures and published.csv in leaderboards/psv
python leaderboards/psv.py --breadth   trains, and writes breadth.csv and plies.csv
python leaderboards/psv.py --keep      plays keep-training as published, and writes keep-sequence.csv
python leaderboards/psv.py --time      measures, and writes seconds.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from voting import breadth, keep, numbers, seconds, wins
from voting.readme import curve_files, readme

FOLDER = Path(__file__).parent / "psv"
SMALL = {10: 2, 100: 1}  # seeds by games of training
SMALL_KEEP = ({10: 1, 100: 1}, (10,), 6)  # seeds by games of training, with both, matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--breadth", action="store_true", help="write breadth.csv and plies.csv anew")
    parser.add_argument("--keep", action="store_true", help="write keep-sequence.csv anew")
    parser.add_argument(
        "--small", action="store_true", help="with --breadth or --keep, of a few games of training"
    )
    parser.add_argument("--time", action="store_true", help="measure seconds.json anew")
    parser.add_argument(
        "--to", type=Path, default=FOLDER, help="where to write, in place of leaderboards/psv"
    )
    options = parser.parse_args()
    if options.breadth:
        breadth.write(options.to, *((SMALL, 20) if options.small else ()))
    if options.keep:
        keep.write(options.to, *(SMALL_KEEP if options.small else ()))
    if options.time:
        text = json.dumps(seconds.measure(), indent=2) + "\n"
        (options.to / "seconds.json").write_text(text, encoding="utf-8")
    if not (options.breadth or options.keep or options.time):
        write(options.to)


def write(to: Path) -> None:
    """Write the tables and figures of what the files hold."""
    published, measured = (
        json.loads((FOLDER / name).read_text(encoding="utf-8")) for name in ("published.json", "seconds.json")
    )
    found = wins.curves(path for path in curve_files(FOLDER) if path.parent == FOLDER)
    rows, shares = breadth.read(FOLDER)
    written = {
        "wins.svg": wins.wins_svg(found, published),
        "seconds.svg": seconds.seconds_svg(measured, published),
        "breadth.svg": breadth.breadth_svg(rows, shares),
        "published.csv": numbers.published_csv(FOLDER, found, measured, published),
        "README.md": readme(FOLDER, found, measured, published),
    }
    for name, text in written.items():
        (to / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
