"""Figure 5: seconds a match against random play, by games of training, beside what was published."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from typing import Any

from curves import table
from voting.drawing import document, frame, line
from voting.matches import Matches, learner, player
from voting.wins import LOOKS, known

from arena.compiler import is_compiled
from arena.show.curve_plot import HEIGHT, Axis, axis_over

TAUGHT = (10, 100, 1000, 5000, 10_000, 20_000, 30_000, 40_000)  # games of training
TIMED = {"psv": (400, 10), "q-random": (400, 10), "keep-training": (50, 1)}  # matches, each so many times
CONSTANT = {"q-random": 0.002, "keep-training": 1.5}  # published, "constant" and "about"

Times = Mapping[str, Mapping[str, tuple[float, float]]]  # by agent and games, mean and standard deviation


def measure(taught: Iterable[int] = TAUGHT, timed: Mapping[str, tuple[int, int]] = TIMED) -> Times:
    """Mean and standard deviation, over matches, of the CPU time that they take."""
    found: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in timed}
    for games in taught:
        given = learner(games)
        for name, (matches, times) in timed.items():
            played = Matches(player(name, given))
            seconds = played.seconds(matches, times)
            if not is_compiled(played):
                raise SystemExit(f"{name} is not compiled here: is ARENA_COMPILED set to 0?")
            both = statistics.fmean(seconds), statistics.stdev(seconds)
            found[name][str(games)] = (float(f"{both[0]:.3g}"), float(f"{both[1]:.2g}"))
    return found


def seconds_svg(measured: Times, published: Mapping[str, Any]) -> str:
    """Seconds a match by games of training, both axes logarithmic; bars reach a standard deviation up."""
    ours = {name: {int(n): both for n, both in times.items()} for name, times in measured.items()}
    theirs = {"psv": known(published, "seconds", "psv")}
    theirs |= {name: dict.fromkeys(published["games"], value) for name, value in CONSTANT.items()}
    x = axis_over({n for times in (*ours.values(), *theirs.values()) for n in times})
    values = [mean for times in ours.values() for mean, _ in times.values()]
    values += [value for times in theirs.values() for value in times.values()]
    micro = {round(1e6 * value) for value in values}
    low, high = (10**k for k in (len(str(min(micro))) - 1, len(str(max(micro)))))
    up = Axis(low, high, True, False, HEIGHT)
    heading = "Seconds a match, log scale; on different machines"
    body = frame(heading, x, {HEIGHT - up.at(n): f"{n / 1e6:g}" for n in up.ticks()})
    for name, times in theirs.items():
        places = [(x.at(n), HEIGHT - up.at(1e6 * value)) for n, value in times.items()]
        titles = [f"{name}, published: {value:.2g} s after {n:,} games" for n, value in times.items()]
        body += line(places, LOOKS[name], True, titles)
    for name, by_games in ours.items():
        places = [(x.at(n), HEIGHT - up.at(1e6 * mean)) for n, (mean, _) in by_games.items()]
        titles = [f"{name}: {duration(both)} after {n:,} games" for n, both in by_games.items()]
        body += line(places, LOOKS[name], False, titles)
    names = [(name, LOOKS[name]) for name in ours]
    legend = [names, [(f"{name}, published", look) for name, look in names]]
    return document("Seconds a match by games of training, on different machines", [body], legend)


def duration(both: tuple[float, float]) -> str:
    """`18 µs (sd 10)`, mean and standard deviation."""
    scale, unit = (1e6, "µs") if both[0] < 1e-3 else (1e3, "ms")
    mean, deviation = (f"{scale * value:.2g}" for value in both)
    return f"{mean} {unit} (sd {deviation})"


def seconds_table(measured: Times, published: Mapping[str, Any]) -> list[str]:
    """A row for each number of games of training, for each agent ours and what was published."""
    theirs = {name: dict.fromkeys(published["games"], value) for name, value in CONSTANT.items()}
    theirs["psv"] = known(published, "seconds", "psv")
    rows = []
    for n in sorted({int(n) for times in measured.values() for n in times} | {*published["games"]}):
        row = [f"{n:,}"]
        for name, times in measured.items():
            row.append(duration(times[str(n)]) if str(n) in times else "")
            row.append(f"{theirs[name][n]:g} s" if n in theirs[name] else "")
        rows.append(row)
    heads = [head for name in measured for head in (name, "published")]
    return table(["games of training", *heads], rows)
