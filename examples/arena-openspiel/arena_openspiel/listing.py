"""`arena openspiel`: the games of OpenSpiel that can be played."""

import click
import pyspiel

from arena_openspiel.loading import playable


@click.command()
def listing():
    """List the games of OpenSpiel that can be played, with their parameters."""
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    for name in playable():
        stated = kinds[name].parameter_specification
        parameters = ", ".join(f"{key}={value}" for key, value in sorted(stated.items()))
        click.echo(f"openspiel:load={name}  {parameters}".rstrip())
