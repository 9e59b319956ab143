"""`arena models`: the models of learners."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.command_groups import Group
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import GAME, MODEL, EntryOrFile
from arena.cli.printing import agreed, number, say, show, tell
from arena.show.progress import busy


@click.group(cls=Group, page="docs/explanation/learning.md")
def models() -> None:
    """List, show, copy or remove trained models.

    A model is tied to the options and the code of its entry and game: after a change, the entry is
    retrained. Models are stored in the user's data folder, or in ARENA_MODELS. MODEL is an id from 'arena
    models list', or a prefix of an id.

    \b
    Examples:
      arena models list
      arena models show 5f0c
      arena models remove --unused
    """


@models.command(name="list")
@wide_option
@json_option
def list_all(as_json: bool) -> None:
    """List all models."""
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
    """Show MODEL: its origin, its contents, and whether an installed entry would load it.

    MODEL is an id, a prefix of an id, or a file.

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
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def export(model: str, file: Path, force: bool) -> None:
    """Copy MODEL to FILE, after checking that it is not damaged.

    'arena models import' loads it where the same versions of its agent and game are installed. If training
    is unfinished, 'arena train' continues it there.

    \b
    Example:
      arena models export 5f0c q-table.npz
    """
    import arena

    tell("Exported", arena.models.export(model, file, force=force), f"to {file}")


@models.command(name="import")
@click.argument("entry", type=EntryOrFile(), nargs=-1, metavar="[ENTRY]")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", type=GAME, help="With ENTRY: the game.  [default: the first installed]")
@click.option("--name", help="With ENTRY: a name for the table.  [default: the name of FILE]")
@click.option("--force", is_flag=True, help="With ENTRY: overwrite the table of that name.")
def import_file(entry: tuple[str, ...], file: Path, game: str | None, name: str | None, force: bool) -> None:
    """Import the model in FILE, if it is not damaged and fits an installed entry.

    With ENTRY, FILE is a table trained by another program, in a format that the learner of ENTRY reads. It is
    stored under a name; the learner's option 'imported' loads it by that name instead of training.

    \b
    Examples:
      arena models import q-table.npz
      arena models import psv model.json --game checkers --name theirs
      arena match psv:learner=(q-backprop:imported=theirs) random --game checkers
    """
    if len(entry) > 1 or (not entry and (game or name or force)):
        raise click.UsageError("takes [ENTRY] FILE; --game, --name and --force need ENTRY")
    import arena

    if not entry:
        found = arena.models.import_model(file)
        done, where = ("Imported", "as") if found.new else ("There is", "already, in")
        tell(done, found.about, f"{where} {found.path}")
        return
    with busy(f"Reading {file.name}"):
        found = arena.models.import_table(entry[0], file, game=game, name=name, force=force)
    tell("Imported", found.about, f"as {found.path}")
    say(f"To use it, enter {found.entry}", err=True)


@models.command(renamed={"--unfit": "--unused"})
@click.argument("model", type=MODEL, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Remove all models.")
@click.option("--unused", "unfit", is_flag=True, help="Remove models that no installed entry would load.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def remove(model: tuple[str, ...], everything: bool, unfit: bool, yes: bool) -> None:
    """Remove one or more models.

    \b
    Examples:
      arena models remove 5f0c 77ab
      arena models remove --unused
    """
    if bool(model) + everything + unfit != 1:
        raise click.UsageError("pass either models, --all or --unused")
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
