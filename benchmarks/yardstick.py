"""Build and run the C yardstick."""

from __future__ import annotations

import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("yardstick.c")
COMPILER = ("gcc", "-O3", "-march=native", "-ffp-contract=off")  # every rounding as arena has it


class Yardstick:
    """The compiled program, built in a folder."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "yardstick"
        subprocess.run([*COMPILER, "-Wall", "-Wextra", "-o", self.program, SOURCE, "-lm"], check=True)

    def run(self, *args: object) -> tuple[list[int], float]:
        """Return the numbers that `yardstick ARGS` prints, and the seconds of CPU time it took."""
        command = [str(self.program), *map(str, args)]
        *found, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return [int(number) for number in found], float(seconds)


def version() -> str:
    return subprocess.run(
        ["gcc", "-dumpfullversion"], check=True, capture_output=True, text=True
    ).stdout.strip()
