"""Every command at terminals of four widths: no line is longer than they are wide, none stands still."""

from __future__ import annotations

import shlex

import click
import pytest

import arena
from arena.cli.commands import cli
from recording import recorded
from tiers import tiers

WIDTHS = (60, 80, 120, 200)
ENTRIES = [
    *("random", "first", "greedy", "minimax:depth=2,ties=first", "minimax:depth=2,ties=random,wins=soonest"),
    "alpha-beta:depth=3,ordering=false,table=1024,deepening=true",
]
MINE = "tests-of-widths"
FAULTY = """
from arena import Agent

class Faulty(Agent):
    '''Fails in its second move, by an error with a rather long text.'''

    def choose(self, state, moves, rng):
        if len(moves) < 8:
            raise ValueError("there is no plan for a position such as this one, with so few moves")
        return moves[0]
"""
# of each command lines that are typed, and what is typed in while it runs
TYPED = {
    "tournament": [
        "tournament --entry first --entry minimax:depth=2,ties=first --rounds 2 --seed 1",
        "tournament --game tic-tac-toe --entry first --entry greedy --exact",
        "tournament faulty.py --entry random --rounds 2 --seed 1 --stall-seconds 30",
        "tournament --resume 9",
        "tournament no-such-file.toml",
    ],
    "match": [
        "match first random --matches 4 --seed 1",
        "match first greedy --exact",
        "match Short=alpha-beta:depth=2,ordering=false Other=random --sprt 0,150 --seed 1",
        "match first no-such-agent",
        "match alpha-beta:depth=3,ordering=false,table=1024,deepening=true random:no-such-option=1",
    ],
    "play": [
        ("play alpha-beta:depth=2 --game checkers", "help\nmoves\nexplain greedy\nhint\nq\n"),
        ("play first --game connect-four", "4\nundo\nhistory\nboard\nnonsense\nq\n"),
        ("play first --record", "2\n4\n6\n8\n9\nq\n"),
        ("play", "q\n"),
    ],
    "replay": [
        "replay 1 --all",
        "replay 1 --lost-by first --all --explain greedy",
        ("replay 1 --explain greedy", [("q quit", "nnxmbf"), ("4 of 6 plies", "q")]),
        "replay 1 99999",
    ],
    "season update": [
        "season bots --db season.db",
        "season update bots --dry-run --rounds 2 --db season.db",
        "season no-such-folder",
    ],
    "season status": ["season status --db season.db", "season status nobody --db season.db"],
    "season history": ["season history --db season.db"],
    "season export": ["season export --db no-such-file.db"],
    "season delete": [
        ("season delete random --db season.db", [("[y/N]", "n\n")]),
        "season delete nobody --yes --db season.db",
    ],
    "season rollback": [("season rollback --db season.db", [("[y/N]", "n\n")])],
    "watch": ["watch 1", "watch 99"],
    "merge": ["merge arena.db --output merged.db", "merge no-such-file.db --output merged.db"],
    "verify": [
        "verify arena.db --seed 1 --sample 9",
        "verify arena.db faulty.py --seed 1 --stall-seconds 5",
        "verify no-such-file.db",
    ],
    "train": [
        "train q-table:episodes=50",
        "train q-table:episodes=20 --curve q{columns}.csv --points 2 --seeds 2 --matches 4",
        "train random",
    ],
    "models list": ["models list"],
    "models show": ["models show {model}", "models show nosuchmodel"],
    "models export": ["models export {model} copy.npz --force"],
    "models import": ["models import {model_file}", "models import nothing.npz"],
    "models remove": [("models remove {model}", [("[y/N]", "n\n")]), "models remove"],
    "leaderboard": [
        "leaderboard",
        "leaderboard tic-tac-toe --blunders",
        "leaderboard --cost",
        "leaderboard tic-tac-toe --diagnostics --anchor first=0",
        "leaderboard --html page.html --no-playable",
        "leaderboard tic-tac-toe --html page.html --no-playable --title Cup --coach first",
        "leaderboard --html page.html --coach nobody",
        "leaderboard no-such-game",
        "leaderboard --db nothing.db",
    ],
    "tournaments list": ["tournaments list"],
    "tournaments show": [
        *("tournaments show 1", "tournaments show 1 --seats", "tournaments show 2"),
        *("tournaments show 3 --faults", "tournaments show 1 --usage", "tournaments show 99"),
    ],
    "tournaments export": ["tournaments export 1 --notation"],
    "tournaments metadata": ["tournaments metadata"],
    "tournaments remove": [("tournaments remove 1", [("[y/N]", "n\n")])],
    "new": [f"new agent {MINE} --folder new-{{columns}}"],
    "check": ["check random --matches 2", "check faulty.py --matches 2", "check tic-tac-toe --positions 20"],
    "debug": ["debug 3 0 --no-debugger --trust", "debug 1 0 --no-debugger"],
    "games": ["games", "games checkers"],
    "agents": ["agents", "agents alpha-beta", "agents q-table"],
    "evaluations": ["evaluations", "evaluations material", "evaluations nonsense"],
    "formats": ["formats", "formats swiss", "formats nonsense"],
    "plugins": ["plugins"],
    "position": [
        "position checkers",
        'position connect-four --moves "4 4 3"',
        "position tic-tac-toe nonsense",
    ],
    "explain": ["explain minimax:ties=first --moves 1", "explain random", "explain psv:nonsense=1"],
    "export": ["export minimax --wasm page"],
    "openings": ["openings tic-tac-toe --plies 2 --lines 3", "openings tic-tac-toe --judge random"],
    "exploit": ["exploit greedy", "exploit first --max-plies 4", "exploit first --budget 9", "exploit human"],
    "coach": ["coach first", "coach first --sample 5 --seed 1", "coach nobody"],
    "compare": [
        "compare A=q-table:episodes=20 B=double-q:episodes=20 --against random --seeds 2 --rounds 2",
        "compare minimax random",
    ],
    "tune": [
        "tune minimax --range depth=1..3 --matches 32 --confirm-matches 2",
        "tune minimax --range dept=1..3",
        "tune q-table:episodes=20 --range alpha=0.1|0.5 --rounds 1 --trainings 2 --confirm-seeds 2",
    ],
    "solve": ["solve tic-tac-toe XX.OO.... --all-moves", "solve connect-four 4444444", "solve tic-tac-toe X"],
    "endings": [
        "endings checkers --pieces 2 --folder kept --check",
        "endings tic-tac-toe --pieces 2",
    ],
    "help": ["help", "help --all", "help match", "help tournaments show", "help nonsense"],
    "perft": ["perft tic-tac-toe 5", "perft no-such-game 2"],
}
TELLS = ("tournaments show", "debug")  # whose results have tracebacks
DATA = ("tournaments export", "tournaments metadata")  # lines that other programs read, as long as they are
LINES = [
    (name, *((one, "") if isinstance(one, str) else one)) for name, some in TYPED.items() for one in some
]
CASES = [
    pytest.param(line, columns, name, typed, id=f"{line}-{columns}")
    for name, line, typed in LINES
    for columns in WIDTHS
]


def leaves(group, *words):
    """All commands there are, without the groups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, *words, name)
        else:
            yield " ".join((*words, name))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the commands are about: tournaments, a model, an agent that fails."""
    folder = tmp_path_factory.mktemp("recordings")
    (folder / "faulty.py").write_text(FAULTY)
    db, quiet = folder / "arena.db", {"progress": False, "executor": "serial"}
    arena.tournament(ENTRIES, game="tic-tac-toe", rounds=3, seed=1, db=db, **quiet)
    arena.tournament(ENTRIES[:2], game="tic-tac-toe", exact=True, db=db, **quiet)
    arena.tournament(
        ["random"], agents=[folder / "faulty.py"], game="tic-tac-toe", rounds=2, seed=1, db=db, progress=False
    )
    (folder / "bots").mkdir()
    (folder / "bots" / "a_player_with_a_rather_long_name.py").write_text(FAULTY)
    arena.season(
        folder / "bots",
        game="tic-tac-toe",
        baselines=["random"],
        rounds=2,
        seed=1,
        db=folder / "season.db",
        **quiet,
    )
    arena.train("q-table:episodes=30", game="tic-tac-toe", progress=False)
    return folder


def test_every_command_is_recorded():
    assert set(TYPED) == set(leaves(cli))


@pytest.mark.parametrize(
    ("line", "columns", "name", "typed"),
    tiers(
        CASES,
        slow=[
            ("tournament --entry first --entry minimax:depth=2,ties=first --rounds 2 --seed 1", 60),
            ("tournaments show 2", 120),
            ("tournament --entry first --entry minimax:depth=2,ties=first --rounds 2 --seed 1", 80),
            ("match first random --matches 4 --seed 1", 60),
            ("match first no-such-agent", 80),
            ("replay 1 --all", 60),
            ("season status --db season.db", 60),
            ("season history --db season.db", 80),
            ("season update bots --dry-run --rounds 2 --db season.db", 80),
            ("watch 1", 80),
            ("verify arena.db faulty.py --seed 1 --stall-seconds 5", 200),
            ("models list", 60),
            ("models import {model_file}", 200),
            ("leaderboard tic-tac-toe --blunders", 60),
            ("leaderboard no-such-game", 200),
            ("tournaments show 3 --faults", 60),
            ("tournaments metadata", 80),
            ("check tic-tac-toe --positions 20", 60),
            ("games checkers", 80),
            ("evaluations material", 60),
            ("plugins", 60),
            ("explain minimax:ties=first --moves 1", 200),
            ("openings tic-tac-toe --judge random", 60),
            ("exploit human", 200),
            ("solve tic-tac-toe X", 60),
        ],
    ),
)
def test_no_line_is_longer_than_the_terminal_is_wide(folder, line, columns, name, typed):
    model = next(iter(arena.models.list()))
    words = shlex.split(line.format(model=model.id, model_file=model.path, columns=columns))
    keys = {"typed": typed} if isinstance(typed, str) else {"keys": typed}
    seen = recorded(folder, *words, columns=columns, **keys)
    assert seen.status in (0, 1, 2, 130), seen.text
    assert "Traceback" not in seen.text or name in TELLS
    assert "internal" not in seen.text
    if name not in DATA:
        assert seen.wrapped == []


ALL = """
import sys
from arena.cli.commands import cli, run
for line in sys.argv[1:]:
    print("$ " + line)
    try:
        run(line.split())
    except SystemExit as end:
        print(end.code)
"""


@pytest.mark.parametrize("columns", tiers(WIDTHS, quick=[60]))
def test_help_and_usage_errors_fit(tmp_path, columns):
    lines = [f"{name} {option}" for name in leaves(cli) for option in ("--help", "--nonsense")]
    groups = [
        "--help",
        "help --all",
        "models --help",
        "tournaments --help",
        "nonsense",
        "tournaments nonsense",
    ]
    seen = recorded(tmp_path, *groups, *lines, columns=columns, program=("-c", ALL))
    assert seen.status == 0, seen.text
    assert seen.text.count("\n0") == len(leaves_and_groups())
    assert seen.wrapped == []


def leaves_and_groups():
    return [*leaves(cli), "", "--all", "models", "tournaments"]
