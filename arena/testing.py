"""The conformance kit: what the author of a game or an agent runs, in one line each.

    from arena.testing import check_agent, check_game

    def test_my_game_keeps_its_promises():
        check_game(MyGame())

    def test_my_agent_keeps_its_promises():
        check_agent(MyAgent, MyGame(), options={"depth": 2})

The first fault found raises AssertionError, which says what is wrong, and in which position.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice, pairwise
from math import isfinite
from typing import Any
from xml.etree import ElementTree

from arena.agent import Agent
from arena.errors import ArenaError, one_line
from arena.game import CAPABILITIES, FastGame, Game, Move, State, positions
from arena.options import Configurable, format_value, strip_brackets
from arena.rng import Rng, derive

CLOSE_LOOKS = 1000  # positions that every check sees, in the order that play first meets them
COUNTED = 20_000  # a `reachable` up to here is counted
PLIES = 300  # matches are compared up to here
PAD = [-1.5, -2.5, -3.5]  # in a buffer, before and after what is to be written

Asked = list[list[tuple[State, Any]]]  # match by match: a position, and what was answered there


def check_game(game: Game, matches: int = 50, seed: int = 0) -> None:
    """Hold a game against what `Game` promises, in the positions of so many random matches."""
    seeds = [derive(seed, number) for number in range(matches)]
    with blaming(game):
        declarations(game)
    seen: set[State] = set()
    ended = 0
    for state in (state for s in seeds for state in random_match(game, s)):
        with blaming(game, state):
            equals_its_copy(state)
            if state not in seen and len(seen) < CLOSE_LOOKS:
                seen.add(state)
                for capability in ("", *game.capabilities):
                    for check in CHECKS.get(capability, ()):
                        check(game, state)
            ended += not game.moves(state)
    with blaming(game):
        assert ended, f"none of {matches} random matches ends within max_plies, {game.max_plies}"
        count(game)
        travels(game)
    if game.repetition or game.quiet_plies:
        for match_seed in seeds:
            progress(game, match_seed)
    again = elsewhere(game, random_matches, game, seeds[:10])
    compare(game, random_matches(game, seeds[:10]), again, "moves gives", "in another process")
    with blaming(game):
        refuses_nonsense(game)


def check_agent(
    cls: type[Agent],
    game: Game,
    matches: int = 10,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Hold an agent against what `Agent` promises, in so many matches with random moves from either seat.

    The same matches are played again later on, by another agent and in another process, and must go
    the same way.
    """
    seeds = [derive(seed, number) for number in range(matches)]
    make = partial(cls, game, **(options or {}))
    with blaming(cls):
        class_is_sound(cls)
        agent = make()
    played = agent_matches(lambda: agent, seeds)
    compare(cls, played, agent_matches(lambda: agent, seeds), "plays", "having played other matches")
    compare(cls, played, agent_matches(make, seeds), "plays", "made anew")
    compare(cls, played, elsewhere(cls, agent_matches, make, seeds), "plays", "in another process")


# --- the thing as a whole -----------------------------------------------------------------------------


def class_is_sound(cls: type[Configurable]) -> None:
    """What a class of either kind owes: a docstring, a place to import it from, good options."""
    assert (cls.__doc__ or "").strip(), "has no docstring; its first line is what users are shown"
    try:
        assert pickle.loads(pickle.dumps(cls)) is cls
    except Exception:
        raise AssertionError(f"cannot be imported as {cls.__module__}:{cls.__qualname__}") from None
    base = Agent if issubclass(cls, Agent) else Game
    for name, stated in cls.options.items():
        used = name in ("game", "name", "options") or callable(getattr(base, name, None))
        assert not used, f"option {name!r} has a name that arena uses"
        assert stated.help, f"option {name!r} has no help"
        for default in (stated.default, strip_brackets(format_value(stated.default))):
            try:
                assert stated.read(default) == stated.default
            except Exception:
                fault = f"option {name!r} takes {stated.describe()}, which its default, {default!r}, is not"
                raise AssertionError(fault) from None


def declarations(game: Game) -> None:
    class_is_sound(type(game))
    assert len({*game.sides} - {""}) == 2, f"sides are {game.sides!r}, not two names"
    assert game.max_plies > 0, f"max_plies is {game.max_plies}"
    first = game.to_move(game.initial())
    assert first == 0, f"player {first!r} moves first, not player 0"
    for capability, parts in CAPABILITIES.items():
        lacking = [part for part in parts if not game.offers(part)]
        assert len(lacking) in (0, len(parts)), f"offers {capability} in part; it lacks {', '.join(lacking)}"
    for name in ("cells", "feature_names"):
        assert len({*getattr(game, name)}) == len(getattr(game, name)), f"{name} has one twice"
    if isinstance(game, FastGame):
        written = {name for name, own in vars(type(game)).items() if callable(own)}
        unheard = {part for parts in CAPABILITIES.values() for part in parts if not game.offers(part)}
        idle = sorted(written & (unheard | vars(game).keys()))
        assert not idle, f"{', '.join(idle)} of the class goes unused; a fast game takes it from its rules"


def travels(game: Game) -> None:
    """A game can be sent to another process."""
    try:
        twin = pickle.loads(pickle.dumps(game))
    except Exception as error:
        raise AssertionError(f"cannot be pickled: {one_line(error)}") from error
    start = game.initial()
    same = (twin.name, twin.initial(), twin.moves(start)) == (game.name, start, game.moves(start))
    assert same, "is another game once pickled"


def refuses_nonsense(game: Game) -> None:
    for read in (partial(game.read_move, game.initial()), game.read_position):
        try:
            outcome = f"gives {read('nonsense')!r}"
        except ArenaError:
            continue
        except Exception as error:
            outcome = f"raises {one_line(error)}"
        raise AssertionError(
            f"reading 'nonsense' as a move or a position {outcome}, where ArenaError belongs"
        )


def count(game: Game) -> None:
    """The number of positions, where one is stated and small."""
    if game.reachable is not None and game.reachable <= COUNTED:
        found = sum(1 for _ in islice(positions(game), game.reachable + 1))
        more = " or more" if found > game.reachable else ""
        assert found == game.reachable, f"reachable is {game.reachable}, and play reaches {found}{more}"


# --- one position -------------------------------------------------------------------------------------


def equals_its_copy(state: State) -> None:
    twin = pickle.loads(pickle.dumps(state))
    assert (twin, hash(twin)) == (state, hash(state)), "the state, or its hash, is not equal to its copy's"


def moves_fit(game: Game, state: State) -> None:
    """A fast game's moves have room in the buffers made for them. (Here they have room anyway.)"""
    if isinstance(game, FastGame):
        n = game.rules.moves(state, defaultdict(int), 0)
        assert n <= game.max_moves, f"MAX_MOVES is {game.max_moves}, and there are {n}"


def moves_repeat(game: Game, state: State) -> None:
    moves = game.moves(state)
    assert isinstance(moves, list), f"moves gives a {type(moves).__name__}, not a list"
    assert len(moves) <= game.max_moves, f"max_moves is {game.max_moves}, and there are {len(moves)}"
    assert len(set(moves)) == len(moves), f"moves gives one twice: {moves!r}"
    first = list(moves)
    moves.clear()  # the list is the caller's to change
    again = game.moves(state)
    assert again == first, f"moves gives {first!r}, and {again!r} when asked again"


def play_repeats(game: Game, state: State) -> None:
    before = pickle.loads(pickle.dumps(state))
    for move in game.moves(state):
        after = game.play(state, move)
        assert state == before, f"play of {move!r} changes the state it is given"
        assert game.play(state, move) == after, f"play of {move!r} leads elsewhere when played again"


def turn_and_value(game: Game, state: State) -> None:
    assert game.to_move(state) in (0, 1), f"to_move is {game.to_move(state)!r}, not 0 or 1"
    if not game.moves(state):
        assert game.value(state) in (-1, 0, 1), f"value is {game.value(state)!r}, not 1, 0 or -1"


def notation(game: Game, state: State) -> None:
    texts: dict[str, Move] = {}
    for move in game.moves(state):
        text = game.move_text(move)
        assert text.split() == [text], f"move_text of {move!r} is {text!r}, not one word"
        assert text not in texts, f"move_text is {text!r} both for {texts[text]!r} and {move!r}"
        texts[text] = move
    for text, move in texts.items():
        found = game.read_move(state, text)
        assert found == move, f"read_move takes {text!r} for {found!r}, not for {move!r}"
    text = game.position_text(state)
    assert len(text.splitlines()) == 1, f"position_text is {text!r}, not one line"
    assert isinstance(game.board_text(state), str), f"board_text is {game.board_text(state)!r}"
    try:
        ElementTree.fromstring(game.board_svg(state))
    except ElementTree.ParseError as error:
        raise AssertionError(f"board_svg is not well-formed XML: {error}") from error
    if type(game).read_position is not Game.read_position:
        found = game.read_position(text)
        assert found == state, f"read_position takes {text!r}, its own position_text, for {found!r}"


def fast_form(game: Game, state: State) -> None:
    """`game.rules` agrees with the game, and writes what it is asked for and nothing else."""
    rules, moves = game.rules, game.moves(state)
    written(rules.moves, state, moves)
    assert rules.to_move(state) == game.to_move(state), "rules.to_move is not to_move"
    assert moves or rules.value(state) == game.value(state), "rules.value is not value"
    for move in moves:
        assert rules.play(state, move) == game.play(state, move), f"rules.play of {move!r} is not play"
    if isinstance(game, FastGame):
        numbers = type(state) is tuple and all(type(x) is int and 0 <= x < 2**63 for x in state)
        assert numbers, "the state is not a flat tuple of ints from 0 to 2**63 - 1"
        assert len(state) == len(game.initial()), "the state is not as long as the first"
        assert all(type(move) is int for move in moves), f"moves are not ints: {moves!r}"
        if getattr(rules, "ALTERNATING", 0):
            in_turn = all(game.to_move(game.play(state, move)) != game.to_move(state) for move in moves)
            assert in_turn, "ALTERNATING is stated, and a player moves twice in a row"


def written(write: Callable[..., int], state: State, values: Sequence[Any]) -> None:
    """`write(state, buffer, k)` puts these values at k, touches no other cell and says how many they are."""
    buffer = [*PAD, *[0] * len(values), *PAD]
    n = write(state, buffer, len(PAD))
    whole = n == len(values) and buffer == [*PAD, *values, *PAD]
    assert whole, f"rules.{write.__name__} gives {n} and leaves {buffer}, not {values!r} from {len(PAD)} on"


def evaluation(game: Game, state: State) -> None:
    assert isfinite(game.evaluate(state)), f"evaluate is {game.evaluate(state)!r}"


def symmetries(game: Game, state: State) -> None:
    """The images are those of a group, and play, turn and value are the same in each."""
    moves = game.moves(state)
    images = [game.image(state, i) for i in range(game.symmetries)]
    assert images[0] == state, "symmetry 0 is not the identity"
    for i, image in enumerate(images):
        closed = Counter(game.image(other, i) for other in images) == Counter(images)
        assert closed, f"symmetry {i} after another is none of the {game.symmetries}: they are no group"
        assert game.to_move(image) == game.to_move(state), f"symmetry {i} changes the player to move"
        mapped = {game.image_move(move, i) for move in moves}
        assert mapped == {*game.moves(image)}, f"symmetry {i} maps the moves to {mapped!r}, not the image's"
        for move in moves:
            same = game.play(image, game.image_move(move, i)) == game.image(game.play(state, move), i)
            assert same, f"symmetry {i}: the image of {move!r}, played in the image, leads elsewhere"
        assert moves or game.value(image) == game.value(state), f"symmetry {i} changes the value"


def grid(game: Game, state: State) -> None:
    moves, mover, cells = game.moves(state), game.to_move(state), range(len(game.cells))
    for cell in cells:
        assert game.piece(state, cell) >= 0, f"piece on cell {cell} is {game.piece(state, cell)!r}"
    for move in moves:
        cell = game.anchor(state, move)
        assert cell in cells, f"anchor of {move!r} is {cell!r}, and there are {len(cells)} cells"
        piece = game.piece(state, cell) or game.piece(game.play(state, move), cell)
        own = piece and piece % 2 != mover
        assert own, f"piece is {piece} at the anchor of {move!r} by player {mover}; odd are player 0's"
    shapes = {(game.anchor(state, move), game.shape(state, move)) for move in moves}
    assert len(shapes) == len(moves), "two moves have the same anchor and shape"
    if isinstance(game, FastGame):
        numbers = [game.piece(state, cell) for cell in cells] + [x for pair in shapes for x in pair]
        assert all(type(x) is int for x in numbers), "piece, anchor or shape gives what is not an int"


def features(game: Game, state: State) -> None:
    values, names = list(game.features(state)), game.feature_names
    assert len(values) == len(names), f"features gives {len(values)} numbers for {len(names)} feature_names"
    assert all(map(isfinite, values)), f"features are {values}"
    written(game.rules.features, state, values)


CHECKS: Mapping[str, tuple[Callable[[Game, State], None], ...]] = {  # by capability, "" for all games
    "": (moves_fit, moves_repeat, play_repeats, turn_and_value, notation, fast_form),
    "evaluation": (evaluation,),
    "symmetries": (symmetries,),
    "grid": (grid,),
    "features": (features,),
}


# --- matches ------------------------------------------------------------------------------------------


def random_match(game: Game, seed: int) -> Iterator[State]:
    """The positions of a random match to its end, or to max_plies."""
    rng = Rng(seed)
    state = game.initial()
    yield state
    for _ in range(game.max_plies):
        if not (moves := game.moves(state)):
            return
        state = game.play(state, moves[rng.below(len(moves))])
        yield state


def random_matches(game: Game, seeds: Sequence[int]) -> Asked:
    """Of random matches: each position and its moves."""
    return [[(state, game.moves(state)) for state in islice(random_match(game, s), PLIES)] for s in seeds]


def agent_matches(make: Callable[[], Agent], seeds: Sequence[int]) -> Asked:
    """Of an agent's matches against random moves, from both seats by turns: each position and its move."""
    agent = make()
    return [agent_match(agent, number % 2, seed) for number, seed in enumerate(seeds)]


def agent_match(agent: Agent, seat: int, seed: int) -> list[tuple[State, Move]]:
    game = agent.game
    streams = Rng(derive(seed, 0)), Rng(derive(seed, 1))
    asked = []
    agent.begin(seat)
    state = game.initial()
    for _ in range(min(game.max_plies, PLIES)):
        if not (moves := game.moves(state)):
            break
        mover = game.to_move(state)
        if mover == seat:
            with blaming(type(agent), state):
                given = list(moves)
                move = agent.choose(state, given, streams[seat])
                assert move in moves, f"plays {move!r}, none of the moves {moves!r}"
                assert given == moves, "changes the list of moves that it is given"
            asked.append((state, move))
        else:
            move = moves[streams[mover].below(len(moves))]
        state = game.play(state, move)
    return asked


def progress(game: Game, seed: int) -> None:
    """In a random match no position comes again from before a move that is said to rule it out."""
    past: set[State] = set()
    gone: set[State] = set()
    for state, after in pairwise(islice(random_match(game, seed), PLIES)):
        move = next(move for move in game.moves(state) if game.play(state, move) == after)
        with blaming(game, state):
            step = game.progress(state, move)
            assert step in (0, 1, 2), f"progress of {move!r} is {step!r}, not 0, 1 or 2"
            past.add(state)
            if step:
                gone, past = gone | past, set()
            assert after not in gone, f"{move!r} brings back a position from before a move with progress"


def compare(thing: Any, first: Asked, second: Asked, does: str, when: str) -> None:
    """AssertionError at the first position where the answers differ."""
    for one, other in zip(first, second, strict=True):
        for (state, answer), (_, changed) in zip(one, other, strict=False):
            with blaming(thing, state):
                assert changed == answer, f"{does} {answer!r} at first, and {changed!r} {when}"


def elsewhere(thing: Any, function: Callable[..., Asked], *args: Any) -> Asked:
    """What a function gives in a new process, where sets of texts have another order."""
    if thing.__module__ == "__main__":  # typed in, and so nowhere else
        return function(*args)
    with blaming(thing):
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE],
            input=pickle.dumps(sys.path) + pickle.dumps((function, args)),
            env={**os.environ, "PYTHONHASHSEED": "1"},
            capture_output=True,
        )
        said = done.stderr.decode(errors="replace").split("\n")[-2:]
        assert done.returncode == 0, f"fails in another process: {said[0]}"
        asked: Asked = pickle.loads(done.stdout)
    return asked


ELSEWHERE = """
import pickle, sys
answer, sys.stdout = sys.stdout.buffer, sys.stderr
sys.path[:] = pickle.load(sys.stdin.buffer)
function, args = pickle.load(sys.stdin.buffer)
pickle.dump(function(*args), answer)
"""


@contextmanager
def blaming(thing: Any, *state: State) -> Iterator[None]:
    """Whatever is raised inside becomes an AssertionError that names the culprit and the position."""
    try:
        yield
    except Exception as error:
        fault = str(error) if type(error) is AssertionError and str(error) else one_line(error)
        name = thing.__name__ if isinstance(thing, type) else type(thing).__name__
        where = f", in {state[0]!r}" if state else ""
        raise AssertionError(f"{name}: {fault}{where}") from error
