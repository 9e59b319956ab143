"""The texts of --help, whose lines fit the terminal."""

from __future__ import annotations

import click
from click.formatting import wrap_text

from arena.show.grid import folded

SENTENCE = 1000  # characters of a command's first sentence, which is shown whole


class Formatter(click.HelpFormatter):
    """As click's, but for examples, which go on in a second line where there is no room in one."""

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        wrapped = wrap_text(text, self.width, indent, indent, preserve_paragraphs=True)
        lines = (part for line in wrapped.split("\n") for part in folded(line, self.width))
        self.write("\n".join(lines) + "\n")


class Group(click.Group):
    """Commands whose list has the first sentence of each, and all of that."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = (
            (name, self.commands[name].get_short_help_str(SENTENCE)) for name in sorted(self.commands)
        )
        with formatter.section("Commands"):
            formatter.write_dl([*commands])
