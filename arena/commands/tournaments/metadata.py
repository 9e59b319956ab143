"""`arena.tournaments.metadata`: what a database holds, described for Datasette (https://datasette.io)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from arena.storage.database import DATABASE, Store
from arena.storage.descriptions import Description, described

TITLE = "Tournaments of game-playing programs"
BEGIN = "Begin with the views leaderboard, crosstable, forfeited_matches and matches_readable."
# how tables and views are shown; those of matches have no facets, which take long where there are many
SHOWN: dict[str, dict[str, object]] = {
    "tournaments": {"label_column": "game", "sort_desc": "id", "facets": ["game", "format"]},
    "entries": {"label_column": "name", "facets": ["game", "agent"]},
    "fits": {"label_column": "system", "sort_desc": "id", "facets": ["game", "system"]},
    "leaderboard": {"facets": ["game", "tournament", "system"]},
    "crosstable": {"facets": ["game", "tournament"]},
    "forfeited_matches": {"facets": ["entry", "reason"]},
    "_sqlite_migrations": {"hidden": True},
}


def metadata(db: str | Path = DATABASE) -> dict[str, Any]:
    """What Datasette shows of a database beside its rows: what tables, views and columns hold, units, facets.

    As JSON it is the file of `datasette arena.db --metadata metadata.json`. It goes by the database's name.

    >>> import arena
    >>> _ = arena.tournament(["random", "minimax"], game="tic-tac-toe", rounds=10, seed=1)
    >>> arena.tournaments.metadata()["databases"]["arena"]["tables"]["crosstable"]["columns"]["opponent"]
    'each pair is there twice, once from either side'
    """
    with closing(Store(db)) as store:
        found = described(store)
    tables = {name: shown(about) | SHOWN.get(name, {}) for name, about in found.items()}
    tables["_sqlite_migrations"] = SHOWN["_sqlite_migrations"]
    about = {"title": TITLE, "description": BEGIN if "leaderboard" in tables else "", "tables": tables}
    return {"title": TITLE, "databases": {Path(db).stem: about}}


def shown(about: Description) -> dict[str, Any]:
    """A description as Datasette has it. Columns that are seconds are called so."""
    units = {name: "s" for name in about.columns if name.endswith("seconds")}
    return {"description": about.text, "columns": about.columns} | ({"units": units} if units else {})
