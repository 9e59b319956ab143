"""`arena plugins`."""

from __future__ import annotations

import click

from arena.cli.common import json_option


@click.command()
@json_option
def plugins(as_json: bool) -> None:
    """Show the plugins installed, what each offers, and what failed to load and why.

    \b
    Example:
      arena plugins --json
    """
    from dataclasses import asdict

    from arena.cli.common import print_json
    from arena.registry.plugins import registry

    found = registry().plugins
    if as_json:
        print_json([asdict(plugin) for plugin in found])
        return
    for plugin in found:
        click.echo(click.style(plugin.name, bold=True) + f"  ({plugin.distribution} {plugin.version})")
        for kind, names in plugin.offers.items():
            click.echo(f"    {kind}: {', '.join(names)}")
        for error in plugin.errors:
            click.echo(f"    failed: {error}")
