"""The dialogue at the terminal in which you play against an entry."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.show.progress import busy
from arena.show.terminal.dialogue import Command, Dialogue, Quit
from arena.show.terminal.screen import Screen

if TYPE_CHECKING:
    from arena.commands.play.call import Play


class Conversation(Dialogue):
    """A match at the terminal, played to its end or until you quit."""

    def __init__(self, match: Play) -> None:
        super().__init__(Screen(sys.stdout))
        self.match = match
        self.commands = {
            "hint": Command("[ENTRY]", "the move that the entry, or another, would play", self.hint),
            "explain": Command("[ENTRY]", "how it scores the moves", self.explain),
            "undo": Command("", "take your last move back", self.undo),
            "history": Command("", "the moves so far", self.history),
            **self.commands,
            "save": Command("FILE", "save the match, for --from", self.save),
            "resign": Command("", "resign the match", self.resign),
        }

    def run(self) -> bool:
        """Play the match until its end or Ctrl-C or the end of input, and return whether it was finished."""
        match, sides = self.match, self.match.game.sides
        self.screen.line(
            f"{match.game}: you are {sides[match.seat]} against {match.entry}; 'help' says what to type."
        )
        try:
            while match.ending is None:
                self.step()
        except (Quit, KeyboardInterrupt) as left:
            if isinstance(left, KeyboardInterrupt):
                self.screen.line()  # the cursor is still on the line of the prompt
            self.screen.line("You have left the match.")
            return False
        self.show()
        return True

    def step(self) -> None:
        """Play the entry's moves, or ask for yours."""
        match = self.match
        if not match.your_turn:
            side = match.game.sides[1 - match.seat]
            with busy(f"{match.entry} is thinking"):
                texts = match.reply()
            for text in texts:
                self.screen.line(f"{side} plays {text}.")
            return
        self.show()
        move = self.ask(match.game, match.state)
        if move is not None:
            match.play(move)

    def show(self) -> None:
        """Print the board and the status of the match."""
        self.game, self.state = self.match.game, self.match.state
        said = self.match.said
        self.screen.board(self.game, self.state, self.turned)
        self.screen.line(f"The match is over: {said}." if self.match.ending else said)

    def show_board(self, rest: str) -> None:
        self.show()

    def complete(self, before: str, text: str) -> Sequence[str]:
        if before.strip() in ("hint", "explain"):
            from arena.calls.shell_completion import completions

            return completions("agent", text)
        return super().complete(before, text)

    # --- commands ---------------------------------------------------------------------------------------

    def hint(self, rest: str) -> None:
        entry = rest or self.match.entry
        with busy(f"{entry} is thinking"):
            move = self.match.hint(rest or None)
        self.screen.line(f"{entry} would play {move}.")

    def explain(self, rest: str) -> None:
        with busy(f"{rest or self.match.entry} is thinking"):
            found = self.match.explain(rest or None)
        for state, part in found.boards():
            if state is not None and state != self.match.state:
                self.screen.board(self.match.game, state, self.turned)
            self.screen.part(part)

    def undo(self, rest: str) -> bool:
        plies = self.match.undo()
        self.screen.line(f"Taken back: {plies} {'ply' if plies == 1 else 'plies'}.")
        return True

    def history(self, rest: str) -> None:
        self.screen.line(" ".join(self.match.texts()) or "No move has been played yet.")

    def save(self, rest: str) -> None:
        if not rest:
            raise ArenaError("save takes the name of a file: save match.json")
        self.match.save(rest)
        self.screen.line(f"Saved; continue with: arena play --from {rest}")

    def resign(self, rest: str) -> bool:
        self.match.resign()
        return True
