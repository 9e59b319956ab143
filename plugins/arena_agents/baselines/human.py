"""An agent whose moves are typed at the terminal."""

from __future__ import annotations

import signal
import sys
from multiprocessing import parent_process
from typing import ClassVar, NoReturn

from arena import Agent, ArenaError, Dialogue, Move, Quit, Rng, Screen, State, option


class Human(Agent):
    """Asks the user at the terminal for moves.

    It plays in the main process, with unlimited time to think except with `--move-seconds`. Type `help` for a
    list of inputs. Quitting, or pressing Ctrl-C, ends the command; matches played before are kept.
    """

    compiled_methods: ClassVar[tuple[str, ...]] = ()
    interactive = True
    kept_attributes = ("dialogue",)

    who: str = option("", "your name, to distinguish you from other players")

    def prepare(self) -> None:
        self.dialogue: Dialogue | None = None
        self.last: tuple[State, Move] | None = None

    def begin(self, seat: int) -> None:
        self.last = None
        self.there().screen.line(f"A match of {self.game}: you are {self.game.sides[seat]}.")

    def there(self) -> Dialogue:
        """Return the terminal to ask; raise ArenaError in a process that has none."""
        if parent_process() is not None:
            raise ArenaError(
                f"{self.name or 'human'} plays at the terminal, which worker processes do not have; "
                "enter it in a match"
            )
        if self.dialogue is None:
            self.dialogue = Dialogue(Screen(sys.stderr))
        self.dialogue.screen.stream = sys.stderr  # differs between blocks of matches
        return self.dialogue

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        rng.below(2)  # marks the match as random, since a person may play differently
        dialogue = self.there()
        dialogue.game, dialogue.state = self.game, state
        for text in self.answers(state):
            dialogue.screen.line(f"{self.game.sides[1 - self.game.to_move(state)]} plays {text}.")
        dialogue.show_board("")
        try:
            move = dialogue.ask(self.game, state)
        except (Quit, KeyboardInterrupt):
            self.leave()
        self.last = state, move
        return move

    def answers(self, state: State) -> list[str]:
        """Return the opponent's move since the last move here, if that was one move."""
        if self.last is None:
            return []
        after = self.game.play(*self.last)
        return [
            self.game.move_text(move)
            for move in self.game.moves(after)
            if self.game.play(after, move) == state
        ][:1]

    def leave(self) -> NoReturn:
        """End the command, as Ctrl-C does."""
        signal.raise_signal(signal.SIGINT)
        raise KeyboardInterrupt
