"""`arena models`: what learners have learned."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.help import Group
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import GAME, MODEL, EntryOrFile
from arena.cli.printing import agreed, number, say, show, tell
from arena.show.progress import busy


@click.group(cls=Group)
def models() -> None:
    """List, show, copy or remove what learners have learned.

    A model is found again by all that made it: an entry with other options has another one, and so has an
    edited agent or game. They are kept in the user's data folder, or in ARENA_MODELS. MODEL is an id as
    'arena models list' gives it, or the beginning of one.

    \b
    Examples:
      arena models list
      arena models show 5f0c
      arena models remove --unfit
    """


@models.command(name="list")
@wide_option
@json_option
def list_all(as_json: bool) -> None:
    """List all models kept.

    \b
    Example:
      arena models list --json
    """
    import arena

    with busy("Reading the models"):
        found = arena.models.list()
    if found or as_json:
        show(found, found.to_dicts() if as_json else None)


@models.command(name="show")
@click.argument("model", type=MODEL)
@wide_option
@json_option
def show_one(model: str, as_json: bool) -> None:
    """Show MODEL: what made it, what is in it, and whether what is installed would use it.

    MODEL is an id, the beginning of one, or a file.

    \b
    Examples:
      arena models show 5f0c
      arena models show q-table.npz --json
    """
    import arena

    with busy("Reading the model"):
        found = arena.models.show(model)
    show(found, found.to_dict() if as_json else None)


@models.command()
@click.argument("model", type=MODEL)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def export(model: str, file: Path, force: bool) -> None:
    """Copy MODEL to FILE, once it is seen to be whole.

    It serves wherever the same version of its agent and game is installed: 'arena models import'. An
    unfinished one goes on learning there.

    \b
    Example:
      arena models export 5f0c q-table.npz
    """
    import arena

    tell("Exported", arena.models.export(model, file, force=force), f"to {file}")


@models.command(name="import")
@click.argument("entry", type=EntryOrFile(), nargs=-1, metavar="[ENTRY]")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", type=GAME, help="With ENTRY: the game; by default the first installed.")
@click.option("--name", help="With ENTRY: what to call the table; by default as FILE is called.")
@click.option("--force", is_flag=True, help="With ENTRY: replace the table of that name.")
def import_file(entry: tuple[str, ...], file: Path, game: str | None, name: str | None, force: bool) -> None:
    """Take in the model in FILE, if it is whole and fits what is installed.

    With ENTRY, FILE is a table that another program has learned, of those that ENTRY's learner can read. It
    is kept under a name, which the option 'imported' of the learner gives in place of learning.

    \b
    Examples:
      arena models import q-table.npz
      arena models import psv model.json --game checkers --name theirs
      arena match psv:learner=(q-backprop:imported=theirs) random --game checkers
    """
    if len(entry) > 1 or (not entry and (game or name or force)):
        raise click.UsageError("give FILE alone, or ENTRY and FILE with --game, --name and --force")
    import arena

    if not entry:
        found = arena.models.import_model(file)
        done, where = ("Imported", "as") if found.new else ("There is", "already, in")
        tell(done, found.about, f"{where} {found.path}")
        return
    with busy(f"Reading {file.name}"):
        found = arena.models.import_table(entry[0], file, game=game, name=name, force=force)
    tell("Imported", found.about, f"as {found.path}")
    say(f"The entry that uses it: {found.entry}", err=True)


@models.command()
@click.argument("model", type=MODEL, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All models.")
@click.option("--unfit", is_flag=True, help="All that nothing installed would use.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(model: tuple[str, ...], everything: bool, unfit: bool, yes: bool) -> None:
    """Remove MODEL, or several.

    \b
    Examples:
      arena models remove 5f0c 77ab
      arena models remove --unfit
    """
    if bool(model) + everything + unfit != 1:
        raise click.UsageError("name models, or give --all or --unfit, one of these")
    import arena

    found, removed = arena.models.chosen(model, unfit=unfit), 0
    if found and not agreed(f"{number(len(found))}, {' '.join(one.id for one in found)}", yes):
        return
    try:
        for one in found:
            arena.models.remove(one)
            removed += 1
    finally:
        gone = found[:removed]
        size, names = sum(one.bytes for one in gone), "".join(f" {one.path.stem}" for one in gone)
        say(f"Removed {number(len(gone))}, {size:,} bytes{':' if gone else ''}{names}", err=True)
