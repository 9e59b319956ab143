"""The function `arena.tournaments.metadata`, which describes a database for Datasette (https://datasette.io)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from arena.storage.database import DATABASE, Store
from arena.storage.descriptions import Description, described

TITLE = "Tournaments of game-playing programs"
BEGIN = "Begin with the views leaderboard, crosstable, forfeited_matches and matches_readable."
# settings of tables and views; matches have no facets, which are slow for many rows
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
    """Return metadata for Datasette: descriptions of tables, views and columns, units and facets.

    Written to a file as JSON, the metadata can be passed to `datasette arena.db --metadata metadata.json`.
    The name of the database file must stay the same.

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
    """Convert a description to Datasette's format; columns whose names end in `seconds` get a unit."""
    units = {name: "s" for name in about.columns if name.endswith("seconds")}
    return {"description": about.text, "columns": about.columns} | ({"units": units} if units else {})
