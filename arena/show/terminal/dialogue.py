"""A dialogue at the terminal that asks for moves in the game's notation, and accepts commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from arena.api.game import Game, Move, State
from arena.api.rulings import telling
from arena.errors import ArenaError, did_you_mean
from arena.show.board import standing
from arena.show.terminal.lines import Lines
from arena.show.terminal.screen import Screen
from arena.texts import on_one_line

SEVERAL = 8  # maximum number of candidates that an error names


class Quit(Exception):
    """Raised if the user ends the dialogue, or if there is no more input."""


class Again(Exception):
    """Raised if a command has changed the match, so that the question for a move is obsolete."""


class Command(NamedTuple):
    """A command that can be typed instead of a move.

    Attributes:
        takes: Description of the command's argument; empty if it takes none.
        help: Description in one line.
        run: Function that is called with the argument, and returns True if it has changed the match.
    """

    takes: str
    help: str
    run: Callable[[str], bool | None]


class Dialogue:
    """A dialogue that asks for moves; moves and commands may be abbreviated to unique prefixes.

    Subclasses may add to `commands`.

    Attributes:
        turned: Whether the board is shown from the other side.
        commands: The commands, by name.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen, self.lines = screen, Lines(screen)
        self.turned = False
        self.game: Game
        self.state: State
        self.moves: Mapping[str, Move] = {}
        self.commands: dict[str, Command] = {
            "moves": Command("", "the legal moves", self.show_moves),
            "board": Command("", "the board again", self.show_board),
            "flip": Command("", "the board from the other side", self.flip),
            "help": Command("", "this", self.show_help),
            "quit": Command("", "quit; so do Ctrl-D and Ctrl-C", self.quit),
        }

    def ask(self, game: Game, state: State) -> Move | None:
        """Return the move that the user types; None if a command has changed the match.

        Raises:
            Quit: If the user ends the dialogue, or there is no more input.
            GameFault: If the game fails.
        """
        self.game, self.state = game, state
        with telling(game):
            self.moves = {game.move_text(move): move for move in game.moves(state)}
            prompt = f"{game.sides[game.to_move(state)]}> "
        while True:
            line = self.lines.ask(on_one_line(prompt), self.complete)
            if line is None:
                raise Quit
            try:
                if found := self.answer(line.strip()):
                    return found[0]
            except ArenaError as error:
                self.screen.line(str(error))
            except Again:
                return None

    def answer(self, line: str) -> tuple[Move] | None:
        """Interpret a line of input, and run it if it is a command.

        Returns:
            The move, in a tuple; None after a command.

        Raises:
            Again: If a command has changed the match.
            ArenaError: If the line is neither a move nor a command.
        """
        word, _, rest = line.partition(" ")
        if not word:
            self.show_board("")
            return None
        if line in self.moves:
            return (self.moves[line],)
        name = word if word in self.commands else self.beginning(line, word)
        if name in self.commands:
            if self.commands[name].run(rest.strip()):
                raise Again
            return None
        return (self.moves[name],)

    def beginning(self, line: str, word: str) -> str:
        """Return the move or command that a unique prefix stands for, or raise ArenaError.

        Args:
            line: The whole line, as a prefix of moves.
            word: The first word of the line, as a prefix of commands.
        """
        refused = ""
        try:
            with telling(self.game):
                return self.game.move_text(self.game.read_move(self.state, line))
        except ArenaError as error:
            if type(self.game).read_move is not Game.read_move:
                refused = str(error)
        found = [text for text in self.moves if text.casefold().startswith(line.casefold())]
        found += [name for name in self.commands if name.startswith(word.casefold())]
        if len(found) == 1:
            return found[0]
        if found:
            more = ", …" if len(found) > SEVERAL else ""
            raise ArenaError(f"{line!r} may be {', '.join(found[:SEVERAL])}{more}; type more of it")
        close = did_you_mean(line, [*self.moves, *self.commands])
        hint = close if close.startswith(", did") else ""
        refused = refused or f"no move {line!r} here{hint}"
        raise ArenaError(f"{refused}; 'moves' lists the moves, 'help' the commands")

    def complete(self, before: str, text: str) -> Sequence[str]:
        """Return the completions of a word, given the text before it."""
        if before.strip():
            return []
        return [word for word in (*self.moves, *self.commands) if word.startswith(text)]

    # --- commands ---------------------------------------------------------------------------------------

    def show_moves(self, rest: str) -> None:
        """Print the legal moves."""
        self.screen.line(" ".join(self.moves))

    def show_board(self, rest: str) -> None:
        """Print the board."""
        self.screen.board(self.game, self.state, self.turned)
        with telling(self.game):
            said = standing(self.game, self.state)[0]
        self.screen.line(said)

    def flip(self, rest: str) -> None:
        """Show the board from the other side."""
        if "grid" not in self.game.capabilities:
            raise ArenaError(f"{self.game} has no board that can be turned")
        self.turned = not self.turned
        self.show_board("")

    def show_help(self, rest: str) -> None:
        """Print the commands."""
        self.screen.line("Type a move, or an unambiguous part of it. Other commands:")
        for name, command in self.commands.items():
            words = f"{name} {command.takes}".strip()
            self.screen.line(f"  {words:16}  {command.help}")

    def quit(self, rest: str) -> None:
        """End the dialogue.

        Raises:
            Quit: Always.
        """
        raise Quit
