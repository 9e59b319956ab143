"""How `arena games`, `arena agents` and `arena plugins` list what is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click


def list_installed(found: Sequence[Any]) -> None:
    """The name of each in bold, and below it what there is to know of it."""
    for one in found:
        click.echo(click.style(one.name, bold=True) + f"  ({one.distribution} {one.version})")
        for line in one.details():
            click.echo(line)
