"""`arena explain`: why an agent moves as it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import AGENT, GAME, json_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.api.explanation import Facts, Reason, View
    from arena.api.game import Game, Move, State


@click.command()
@click.argument("entry", type=AGENT)
@click.option("--game", type=GAME, help="The game; by default the first installed.")
@click.option("--position", metavar="TEXT", help="In the game's notation; by default the start.")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Decides all chance."
)
@click.option(
    "--moves", type=click.IntRange(0), default=3, show_default=True, help="So many of the best with reasons."
)
@click.option(
    "--reasons", type=click.IntRange(0), default=3, show_default=True, help="At most so many a move."
)
@json_option
def explain(
    entry: str, game: str | None, position: str | None, seed: int, moves: int, reasons: int, as_json: bool
) -> None:
    """Show what ENTRY thinks of its moves in a position, and which one it makes.

    Below the moves, the best first, stand the positions that the agent knows and goes by, if it tells of
    any. What a score means depends on the agent; the greater the better for the player to move. A learner
    that is not trained yet is trained first. JSON has all moves, in the game's order, and all reasons.

    \b
    Examples:
      arena explain minimax --position XO..X....
      arena explain alpha-beta:depth=8 --game connect-four --position 443 --json
    """
    from arena.cli.common import print_json
    from arena.errors import ArenaError
    from arena.matches.settings import check_entries, default_game, make_game
    from arena.registry.plugins import registry
    from arena.report.board import standing

    game_spec = registry().spec("game", game or default_game(registry()))
    made = make_game(game_spec)
    spec = registry().spec("agent", entry)
    check_entries([spec], made)
    state = made.initial() if position is None else made.read_position(position)
    legal = made.moves(state)
    if not legal:
        said, _ = standing(made, state)
        raise ArenaError(
            f"{made} is over in {made.position_text(state)!r}, {said}; name a position with moves"
        )
    views, chosen = ask(spec, game_spec, state, legal, seed)
    if as_json:
        print_json(
            {
                "entry": spec.text,
                "game": game_spec.text,
                "state": made.position_text(state),
                "move": made.move_text(chosen),
                "moves": [describe(made, move, view) for move, view in zip(legal, views, strict=True)],
            }
        )
    else:
        seen = [(move, view, move == chosen) for move, view in zip(legal, views, strict=True)]
        show(made, state, spec.text, sorted(seen, key=rank), moves, reasons)


def ask(spec: Any, game: Any, state: State, moves: list[Move], seed: int) -> tuple[Sequence[View], Move]:
    """An entry's views of its moves, and the move it makes, trained if need be; ArenaError if it has none."""
    import sys
    from contextlib import redirect_stdout

    from arena.api.agent import Agent
    from arena.api.answers import views
    from arena.api.learner import Learner
    from arena.compiler import with_compiled_rules
    from arena.errors import ArenaError, one_line
    from arena.registry.plugins import registry
    from arena.rng import Rng

    silent = ArenaError(f"{spec.text!r} does not say why it moves")
    if spec.cls.explain is Agent.explain:
        raise silent
    if any(issubclass(part.cls, Learner) for part in spec.walk()):
        from arena.cli.learning import learn

        learn([spec], game, registry().offer("executor", "processes").load(), None, strict=True)
    try:
        with redirect_stdout(sys.stderr):
            agent = spec.make(with_compiled_rules(game.make()))
            given = views(agent, state, moves)
            agent.begin(agent.game.to_move(state))
            chosen = agent.choose(state, list(moves), Rng(seed))
    except ArenaError:
        raise
    except (Exception, SystemExit) as error:
        raise ArenaError(f"{spec.text} fails: {one_line(error)}") from error
    if not given:
        raise silent
    if chosen not in moves:
        raise ArenaError(f"{spec.text} plays {chosen!r}, which is no move in this position")
    return given, chosen


def rank(row: tuple[Move, View, bool]) -> tuple[float, bool]:
    """Sorts the best first, and of these the one that is made."""
    _, view, is_chosen = row
    return -view.score if view.score is not None else float("inf"), not is_chosen


def show(
    game: Game,
    state: State,
    entry: str,
    rows: Sequence[tuple[Move, View, bool]],
    most_moves: int,
    most_reasons: int,
) -> None:
    from arena.cli.common import print_table
    from arena.cli.position import show_board
    from arena.report.board import standing

    show_board(game, state)
    (chosen,) = (game.move_text(move) for move, _, is_chosen in rows if is_chosen)
    said, _ = standing(game, state)
    click.echo(f"{game.position_text(state)}: {said}; {entry} plays {chosen}")
    names = list(dict.fromkeys(name for _, view, _ in rows for name in view.facts))
    table = []
    for move, view, is_chosen in rows:
        told = {**texts(view.facts), **({"score": view.verdict} if view.verdict else {})}
        mark = "→" if is_chosen else ""
        table.append([mark, game.move_text(move), *(told.get(name, "") for name in names)])
    print_table(["", "move", *names], table, left=2)
    for move, view, _ in rows[:most_moves]:
        if view.reasons[:most_reasons]:
            click.echo(f"\n{game.move_text(move)}, because of")
        for reason in view.reasons[:most_reasons]:
            show_board(game, reason.state)
            facts = ", ".join(f"{name} {text}" for name, text in texts(reason.facts).items() if text)
            click.echo(
                f"{game.position_text(reason.state)}: {game.move_text(reason.move)}{facts and f' ({facts})'}"
            )


def texts(facts: Facts) -> dict[str, str]:
    """Numbers as they are told: `1,234`, `0.8125`, `yes`, and nothing for None."""

    def text(number: float | None) -> str:
        if number is None:
            return ""
        if isinstance(number, bool):
            return "yes" if number else "no"
        return f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"

    return {name: text(number) for name, number in plain(facts).items()}


def plain(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Facts with Python's numbers in place of numpy's."""
    return {name: n.item() if hasattr(n, "item") else n for name, n in facts.items()}


def describe(game: Game, move: Move, view: View) -> Mapping[str, Any]:
    """A view for JSON."""
    return {
        "move": game.move_text(move),
        **plain(view.facts),
        "verdict": view.verdict or None,
        "reasons": [describe_reason(game, reason) for reason in view.reasons],
    }


def describe_reason(game: Game, reason: Reason) -> Mapping[str, Any]:
    return {
        "state": game.position_text(reason.state),
        "move": game.move_text(reason.move),
        **plain(reason.facts),
    }
