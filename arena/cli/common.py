"""What several commands share: parameters that complete themselves, and ways to print."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import click
from click.shell_completion import CompletionItem

PROCESSES = "processes"


class Offered(click.ParamType[str]):
    """The text of a game, an agent, …, which shells complete."""

    def __init__(self, kind: str) -> None:
        self.kind = self.name = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from arena.cli.completion import completions

        return [CompletionItem(text) for text in completions(self.kind, incomplete)]


GAME = Offered("game")
AGENT = Offered("agent")
EXECUTOR = Offered("executor")
RATING = Offered("rating system")

db_option = click.option(
    "--db",
    envvar="ARENA_DB",
    default="arena.db",
    show_default=True,
    show_envvar=True,
    type=click.Path(dir_okay=False),
    help="The database.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")


Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def play_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of whatever plays matches."""
    options: list[Decorator] = [
        click.option("--game", type=GAME, help="The game; by default the first installed."),
        click.option("--seed", type=int, help="Decides all chance; by default a new one each time."),
        click.option(
            "--openings", metavar="random:N", help="Begin with N random plies, the same from either seat."
        ),
        click.option(
            "--max-plies", type=int, help="A match that long is a draw; by default as the game says."
        ),
        click.option(
            "--exact",
            is_flag=True,
            default=None,
            help="Play nothing, but evaluate exactly with which chances matches end how, in small games.",
        ),
        click.option("--move-seconds", type=float, help="A slower move loses the match; 0 = no limit."),
        click.option(
            "--stall-seconds", type=float, help="Whoever hangs for so long loses the match.  [default: 60]"
        ),
        worker_options,
    ]
    return decorated(command, options)


def worker_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of whatever plays in workers."""
    options: list[Decorator] = [
        click.option("--workers", type=click.IntRange(1), help="How many; by default one a processor."),
        click.option(
            "--executor",
            type=EXECUTOR,
            default=PROCESSES,
            show_default=True,
            help="Where to play: processes, threads, serial or a plugin's.",
        ),
    ]
    return decorated(command, options)


def decorated(command: Callable[..., None], options: Sequence[Decorator]) -> Callable[..., None]:
    """A command with options, shown in this order."""
    return reduce(lambda command, option: option(command), reversed(options), command)


def executor_for(name: str) -> Any:
    """The executor of that name. Worker processes, if it is they, begin to import what they take.

    They do so while this process goes on to import plugins, the database and the rest.
    """
    if name == PROCESSES:
        from arena.cli.workers import get_ready

        get_ready()
    from arena.registry.plugins import registry

    return registry().offer("executor", name).load()


def open_store(db: str, *, write: bool = False) -> Any:
    """The database, closed when the command ends, however it does, so that no side files stay."""
    from arena.storage.database import Store

    store = Store(db, write=write)
    click.get_current_context().call_on_close(store.close)
    return store


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """A table as text; the first `left` columns are words, the others numbers."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console(highlight=False, width=1000)  # a wide line wraps; a column cut off would be lost
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def print_leaderboard(board: Any) -> None:
    """A leaderboard as text, with its notes below."""
    from arena.report.table import table

    print_table(*table(board), left=2)
    for note in board.notes:
        click.echo(note)


def print_pairings(pairings: Sequence[Mapping[str, Any]]) -> None:
    """Results by pairing as text, with the first player's score and its interval, or exact ones."""
    from arena.report.table import pairings_table, published_text, score_text

    if any("plies" in row for row in pairings):
        print_table(*pairings_table(pairings), left=2)
        return
    numbers = ("wins", "draws", "losses", "forfeits", "copies")
    rows = [
        [row["first"], row["second"], *(f"{row[name]:,}" for name in numbers), score_text(row)]
        for row in pairings
    ]
    columns = ["first", "second", "won", "drawn", "lost", "forfeits", "copies", "score"]
    if any("published" in row for row in pairings):
        columns.append("published")
        rows = [[*cells, published_text(row)] for cells, row in zip(rows, pairings, strict=True)]
    print_table(columns, rows, left=2)


def exact_row(first: str, second: str, found: Any) -> dict[str, Any]:
    """What a pairing comes to exactly, for JSON: wins, draws, losses and forfeits are chances."""
    return {
        "first": first,
        "second": second,
        "wins": found.win,
        "draws": found.draw,
        "losses": found.loss,
        "forfeits": found.first_forfeit + found.second_forfeit,
        "plies": found.plies,
        "first_blunder_rate": found.first_blunders / found.first_moves if found.first_moves else None,
        "second_blunder_rate": found.second_blunders / found.second_moves if found.second_moves else None,
    }


def tell_forfeits(forfeits: Iterable[tuple[str, int, str, str]]) -> None:
    """A warning for every entry that forfeited, with the first time it did: name, match, how, why."""
    first: dict[str, str] = {}
    times: Counter[str] = Counter()
    for name, match, reason, detail in forfeits:
        first.setdefault(name, f"match {match} by {reason}: {detail}")
        times[name] += 1
    for name, what in first.items():
        click.echo(f"Warning: {name} forfeited {times[name]:,}, the first {what}", err=True)


def pairing_row(first: str, second: str, kinds: Mapping[str, Any]) -> dict[str, Any]:
    """Counts of a pairing for JSON, by kind put together; `copies` says how many of them are replays."""
    from arena.results.tally import COPY, Counts

    sums = reduce(lambda a, b: a + b, kinds.values(), Counts())
    return {
        "first": first,
        "second": second,
        "wins": sums.wins,
        "draws": sums.draws,
        "losses": sums.losses,
        "forfeits": sums.forfeits,
        "copies": kinds[COPY].matches if COPY in kinds else 0,
    }
