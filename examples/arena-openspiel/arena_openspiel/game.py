"""A game of OpenSpiel's, as arena plays it."""

import re

from arena import Game, option
from arena_openspiel.loading import loaded

COLOURS = re.compile(r"\x1b\[[0-9;]*m")

# games whose string says all there is to a position, whatever moves have led to it; others keep more than
# they show, a count of moves without a capture say, or the positions that have been
TOLD_BY_STRING = frozenset((
    "breakthrough", "clobber", "connect_four", "dots_and_boxes", "gomoku", "havannah", "hex", "mancala",
    "mnk", "nim", "nine_mens_morris", "othello", "pentago", "tic_tac_toe", "twixt",
    "ultimate_tic_tac_toe", "y",
))  # fmt: skip


class Position:
    """A state of OpenSpiel's that nobody changes, with who is to move, 0 or 1. Equal are those of equal keys.

    It is equal to its key as well, and written as that is, so that models can keep it.
    """

    __slots__ = ("known", "player", "spiel")

    def __init__(self, spiel, player):
        self.spiel, self.player, self.known = spiel, player, None

    @property
    def key(self):
        """(player, string)."""
        if self.known is None:
            self.known = (self.player, self.tell())
        return self.known

    def tell(self):
        return str(self.spiel)

    def __eq__(self, other):
        return self.key == (other.key if isinstance(other, Position) else other)

    def __hash__(self):
        return hash(self.key)

    def __repr__(self):
        return repr(self.key)

    def __reduce__(self):
        return replayed, (type(self), str(self.spiel.get_game()), self.player, self.spiel.history())


class PositionWithPast(Position):
    """The same of a game whose string does not say all: its key is (player, actions that have led to it)."""

    __slots__ = ()

    def tell(self):
        return tuple(self.spiel.history())


def replayed(kind, text, player, actions):
    """A position of a game, after some actions."""
    spiel = loaded(text)[1].clone()
    for action in actions:
        spiel.apply_action(action)
    return kind(spiel, player)


class Action(int):
    """An action's number, with the state in which it is legal, or its text there."""

    def __reduce__(self):
        return action_called, (int(self), self.text)

    @property
    def text(self):
        """In OpenSpiel's notation, without spaces."""
        return "".join(self.told if hasattr(self, "told") else self.spiel.action_to_string(self).split())


def action_called(number, text):
    action = Action(number)
    action.told = text
    return action


class OpenSpiel(Game):
    """A game of OpenSpiel's for two players, without chance and with nothing hidden.

    Whoever moves first is player 0 here, as white is in chess, and OpenSpiel's player 1 there. Draws are
    OpenSpiel's to declare.
    """

    load: str = option("", "the game, with parameters as in go(board_size=5)", required=True)

    flat = False

    @classmethod
    def check(cls, options):
        loaded(options["load"])

    def __init__(self, **options):
        super().__init__(**options)
        by_string = self.spiel_game.get_type().short_name in TOLD_BY_STRING
        self.position = Position if by_string else PositionWithPast
        self.first = self.start.current_player()
        self.max_moves = self.spiel_game.num_distinct_actions()
        self.max_plies = self.spiel_game.max_game_length()

    @property
    def spiel_game(self):
        """OpenSpiel's own, which each process loads for itself."""
        return loaded(self.load)[0]

    @property
    def start(self):
        """OpenSpiel's first state."""
        return loaded(self.load)[1]

    def initial(self):
        return self.position(self.start, 0)

    def moves(self, state):
        spiel = state.spiel
        moves = [*map(Action, spiel.legal_actions())]
        for move in moves:
            move.spiel = spiel
        return moves

    def play(self, state, move):
        spiel = state.spiel.child(move)
        player = spiel.current_player()
        return self.position(spiel, 1 - state.player if player < 0 else player ^ self.first)

    def to_move(self, state):
        return state.player

    def value(self, state):
        won = state.spiel.player_return(state.player ^ self.first)
        return (won > 0) - (won < 0)

    # --- notation -------------------------------------------------------------------------------------

    def move_text(self, move):
        return move.text if isinstance(move, Action) else str(move)

    def position_text(self, state):
        """The board's lines, or whatever OpenSpiel tells a state by, one after the other."""
        lines = (line.strip() for line in self.board_text(state).splitlines())
        return " / ".join(filter(None, lines))

    def board_text(self, state):
        return COLOURS.sub("", str(state.spiel)).rstrip("\n")
