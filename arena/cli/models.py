"""`arena models`: what learners have learned."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from arena.cli.common import AGENT, GAME, json_option

if TYPE_CHECKING:
    from arena.api.learner import Arrays, Learner
    from arena.storage.archive import About


class ModelParam(click.ParamType[str]):
    """The id of a model that is kept, which shells complete, or a beginning of one."""

    name = "model"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from arena.errors import ArenaError
        from arena.storage.keys import id_of, kept

        try:
            found = [CompletionItem(id_of(path), help=path.stem) for path in kept()]
        except ArenaError:
            found = []
        found = [item for item in found if item.value.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


class EntryOrFile(click.ParamType[str]):
    """The text of an agent, which shells complete, or before there is none the file."""

    name = "entry"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found = [] if ctx.params.get("file") else AGENT.shell_complete(ctx, param, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


MODEL = ModelParam()


@click.group()
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
@json_option
def list_all(as_json: bool) -> None:
    """List all models kept.

    \b
    Example:
      arena models list --json
    """
    from arena.cli.common import print_json, print_table
    from arena.errors import ArenaError
    from arena.storage.archive import glance
    from arena.storage.keys import id_of, kept

    found: list[dict[str, Any]] = []
    for path in kept():
        row: dict[str, Any] = {"model": id_of(path), "path": str(path)}
        try:
            row |= on_disk(path)
            about = glance(path)
            row |= {name: getattr(about, name) for name in ("agent", "game", "episodes", "planned")}
            row["imported"] = bool(about.options.get("imported"))
        except ArenaError as error:
            row["error"] = str(error)
        found.append(row)
    if as_json:
        print_json(found)
        return
    rows = [
        [row["model"], row["agent"], row["game"], row["written"], progress(row), f"{row['bytes']:,}"]
        for row in found
        if "error" not in row
    ]
    if rows:
        print_table(["model", "agent", "game", "written", "episodes", "bytes"], rows, left=4)
    for row in found:
        if "error" in row:
            click.echo(f"{row['model']}  failed: {row['error']}")


@models.command()
@click.argument("model", type=MODEL)
@json_option
def show(model: str, as_json: bool) -> None:
    """Show MODEL: what made it, what is in it, and whether what is installed would use it.

    MODEL is an id, the beginning of one, or a file.

    \b
    Examples:
      arena models show 5f0c
      arena models show q-table.npz --json
    """
    import msgspec

    from arena.cli.common import print_json, print_table
    from arena.cli.learning import findings, print_findings
    from arena.storage.archive import read

    path = locate(model)
    whole = read(path)
    about = whole.about
    why_not = misfit_of(about, path)
    found = {} if why_not else findings(user_of(about), whole.arrays)
    arrays = [
        {"name": name, "type": str(array.dtype), "shape": list(array.shape), "bytes": array.nbytes}
        for name, array in whole.arrays.items()
    ]
    said = msgspec.to_builtins(about)
    if as_json:
        facts = {"model": said.pop("key"), "path": str(path), **on_disk(path), **said}
        facts |= {"fits": not why_not, "misfit": why_not or None}
        print_json({**facts, **({"findings": found} if found else {}), "arrays": arrays})
        return
    learned = f"{progress(said)} episodes, {about.seconds:,.1f} s of learning"
    if about.options.get("imported"):
        learned = "learned by another program"
    click.echo(f"Model {about.key}: {about.agent} at {about.game}, {learned}")
    click.echo(f"  fits: {f'no, {why_not}' if why_not else 'yes'}")
    if about.wins or about.losses:
        click.echo(f"  in training: {about.wins:,} won, {about.draws:,} drawn, {about.losses:,} lost")
    facts = {"file": path, **on_disk(path), "format": about.format}
    facts |= {name: said[name] for name in ("rules", "code", "sha256", "seed")}
    for name, value in facts.items():
        click.echo(f"  {name}: {f'{value:,}' if name == 'bytes' else value}")
    for name in ("versions", "options"):
        click.echo(f"  {name}: {', '.join(f'{key} {value}' for key, value in said[name].items())}")
    rows = [[a["name"], a["type"], " × ".join(map(str, a["shape"])), f"{a['bytes']:,}"] for a in arrays]
    print_table(["array", "type", "shape", "bytes"], rows, left=2)
    print_findings(found)


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
    from arena.errors import ArenaError
    from arena.storage.archive import read, write

    found = read(locate(model))
    if not file.absolute().parent.is_dir():
        raise ArenaError(f"cannot write {file}: there is no folder {file.parent}")
    if file.exists() and not force:
        raise ArenaError(f"{file} is there already; name another file, or overwrite it with --force")
    write(found, file)
    tell("Exported", found.about, f"to {file}")


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
    if entry:
        import_table(entry[0], file, game, name, force)
    else:
        import_model(file)


def import_model(file: Path) -> None:
    """Keep the model in a file, unless there is one that has learned as much."""
    from arena.errors import ArenaError
    from arena.storage.archive import read, write
    from arena.storage.keys import path_of, take_up

    found = read(file)
    try:
        take_up(user_of(found.about), found)
    except ArenaError as error:
        raise ArenaError(f"cannot import {file}: {error}") from error
    path = path_of(found.about)
    try:
        there = read(path).about
    except ArenaError:  # none, or one that is better replaced
        there = None
    if there and there.episodes >= found.about.episodes:
        tell("There is", there, f"already, in {path}")
        return
    write(found, path)
    tell("Imported", found.about, f"as {path}")


def import_table(text: str, file: Path, game: str | None, name: str | None, force: bool) -> None:
    """Keep the table of another program as the model of the one learner in an entry."""
    from arena.api.learner import Learner
    from arena.errors import ArenaError
    from arena.matches.settings import check_entries, default_game, make_game
    from arena.registry.plugins import registry
    from arena.registry.provenance import versions
    from arena.storage.archive import Model, write
    from arena.storage.keys import about, path_of, take_up
    from arena.training.learners import learner_in, replaced, untrained, with_options

    spec = registry().spec("agent", text)
    game_spec = registry().spec("game", game or default_game(registry()))
    check_entries([spec], make_game(game_spec))
    learner = learner_in(spec)
    if learner.cls.foreign is Learner.foreign:
        raise ArenaError(f"{learner.text!r} reads no tables of other programs; give an entry that does")
    name = name or learner.values["imported"] or re.sub(r"[^\w.-]+", "-", file.stem).strip("-") or "table"
    if not re.fullmatch(r"[\w.-]+", name):
        raise ArenaError(f"--name {name!r}: give letters, digits, '-', '_' and '.' alone")
    named = with_options(learner, imported=name)
    pupil = untrained(named, game_spec)
    made = about(pupil, versions(game_spec, [named], registry()))
    made.episodes = made.planned
    path = path_of(made)
    if path.exists() and not force:
        raise ArenaError(f"{path} has a table called {name!r}; give another --name, or replace it: --force")
    try:
        found = Model(made, dict(foreign(pupil, file)))
        take_up(pupil, found)
    except ArenaError as error:
        raise ArenaError(f"cannot import {file}: {error}") from error
    write(found, path)
    tell("Imported", made, f"as {path}")
    click.echo(f"The entry that uses it: {replaced(spec, learner, named).text}", err=True)


def foreign(learner: Learner, file: Path) -> Arrays:
    """The model that a learner makes of another program's file, or ArenaError."""
    from arena.errors import ArenaError, one_line

    try:
        return learner.foreign(file.read_bytes())
    except OSError as error:
        raise ArenaError(error.strerror or one_line(error)) from error
    except MemoryError as error:
        raise ArenaError("there is not enough memory for it") from error
    except (ArenaError, ValueError) as error:
        raise ArenaError(" ".join(str(error).split())) from error
    except Exception as error:
        raise ArenaError(one_line(error)) from error


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
    from arena.errors import ArenaError
    from arena.storage.keys import id_of, kept

    if bool(model) + everything + unfit != 1:
        raise click.UsageError("name models, or give --all or --unfit, one of these")
    paths = list(dict.fromkeys(map(find, model))) or list(kept())
    if unfit:
        paths = [path for path in paths if unused(path)]
    if paths and not yes and sys.stdin.isatty():
        ids = " ".join(map(id_of, paths))
        click.confirm(f"Remove {number(len(paths))}: {ids}?", abort=True, err=True)
    gone, size = [], 0
    try:
        for path in paths:
            large = path.lstat().st_size
            path.unlink()
            gone.append(path.stem)
            size += large
    except OSError as error:
        raise ArenaError(f"cannot remove {path}: {error.strerror}") from error
    finally:
        click.echo(
            f"Removed {number(len(gone))}, {size:,} bytes{': ' if gone else ''}{' '.join(gone)}", err=True
        )


# --- finding models, and who would use them -------------------------------------------------------------


def find(text: str) -> Path:
    """The kept model whose id this is, or begins like this, or ArenaError."""
    from arena.errors import ArenaError, did_you_mean
    from arena.storage.keys import id_of, kept

    known = list(kept())
    found = [path for path in known if text == path.stem or (text and id_of(path).startswith(text))]
    if len(found) > 1:
        names = ", ".join(path.stem for path in found)
        raise ArenaError(f"{len(found)} models begin with {text!r}: {names}; give more of the id")
    if not found:
        near = did_you_mean(text, map(id_of, known))
        raise ArenaError(f"no model {text!r}{near if '?' in near else ''} (see 'arena models list')")
    return found[0]


def locate(text: str) -> Path:
    """The kept model that this names, or the file, or ArenaError."""
    from arena.storage.archive import SUFFIX

    return Path(text) if os.sep in text or text.endswith(SUFFIX) else find(text)


def user_of(about: About) -> Learner:
    """The installed learner, yet untaught, that would use a model, or ArenaError that says why none would."""
    from arena.api.learner import Learner
    from arena.errors import ArenaError, one_line
    from arena.matches.settings import check_entries, make_game
    from arena.registry.plugins import registry
    from arena.storage.keys import misfit
    from arena.training.learners import untrained

    game = registry().spec("game", about.game)
    spec = registry().spec("agent", about.agent)
    if not issubclass(spec.cls, Learner):
        raise ArenaError(f"{spec.text} is installed, and does not learn")
    check_entries([spec], make_game(game))
    try:
        learner = untrained(spec, game)
    except Exception as error:
        raise ArenaError(f"{spec.text} cannot be made: {one_line(error)}") from error
    if why_not := misfit(about, learner):
        raise ArenaError(why_not)
    return learner


def misfit_of(about: About, path: Path) -> str:
    """Why nothing installed would use the model in a file, on one line; an empty text if something would."""
    from arena.errors import ArenaError
    from arena.storage.keys import path_of

    try:
        user_of(about)
    except ArenaError as error:
        return str(error)
    if path.absolute() != path_of(about).absolute():
        return f"it is not where it is looked for: arena models import {path}"
    return ""


def unused(path: Path) -> bool:
    """Whether nothing installed would use what is in a file."""
    from arena.errors import ArenaError
    from arena.storage.archive import glance

    try:
        return bool(misfit_of(glance(path), path))
    except ArenaError:
        return True


# --- how they are shown -----------------------------------------------------------------------------------


def on_disk(path: Path) -> dict[str, Any]:
    """A file's size, and when it was written, or ArenaError."""
    from datetime import UTC, datetime

    from arena.errors import ArenaError

    try:
        facts = path.stat()
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror}") from error
    written = datetime.fromtimestamp(facts.st_mtime, UTC).isoformat(timespec="seconds")
    return {"bytes": facts.st_size, "written": written}


def progress(row: dict[str, Any]) -> str:
    """`1,000`, or `300 of 1,000`; of a table that another program learned `elsewhere`."""
    done, planned = row["episodes"], row["planned"]
    if row.get("imported"):
        return "elsewhere"
    return f"{done:,}" if done == planned else f"{done:,} of {planned:,}"


def number(models: int) -> str:
    return "1 model" if models == 1 else f"{models} models"


def tell(done: str, about: About, where: str) -> None:
    unfinished = "" if about.finished else f", learned from {about.episodes:,} of {about.planned:,} episodes,"
    click.echo(f"{done} model {about.key}, {about.agent} at {about.game}{unfinished} {where}", err=True)
