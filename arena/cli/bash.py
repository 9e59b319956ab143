"""Completion in bash, which splits words at `:` and `=`."""

from __future__ import annotations

import os
import re

from click.shell_completion import BashComplete, CompletionItem, split_arg_string


class Bash(BashComplete):
    """Completion in bash, which splits words at `:` and `=` and completes only the last part."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", "COMPREPLY+=($value)\n            [[ $value == *= ]] && compopt -o nospace"
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        parts = split_arg_string(os.environ["COMP_WORDS"])[: int(os.environ["COMP_CWORD"]) + 1]
        if len(parts) <= int(os.environ["COMP_CWORD"]):
            parts.append("")
        whole: list[str] = []
        self.before = ""  # the part of the last word that bash does not complete
        sign = False
        for part in parts:
            joined = sign and part != ""
            sign = re.fullmatch("[:=]+", part) is not None
            if whole and (joined or sign):
                whole[-1] += part
            else:
                whole.append(part)
            self.before = whole[-1] if sign else whole[-1].removesuffix(part)
        self.before = re.sub("^-[^=]*=", "", self.before)  # click passes only the value of --entry=value
        return whole[1:-1], whole[-1]

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{item.value.removeprefix(self.before)}"
