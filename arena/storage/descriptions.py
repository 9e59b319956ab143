"""Descriptions of tables, views and their columns, parsed from the comments of the migrations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from arena.storage.database import Store
from arena.storage.migrations import SCHEMAS

CREATED = re.compile(r"^CREATE (?:TABLE|VIEW) (\w+)", re.MULTILINE)
ADDED = re.compile(r"^ALTER TABLE (\w+) ADD COLUMN", re.MULTILINE)
COLUMNS = re.compile(r"((?:\w+, )*\w+): (.+)")


@dataclass
class Description:
    """The description of a table or view.

    Attributes:
        text: The description of the table or view.
        columns: The description of each column, by name.
    """

    text: str = ""
    columns: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, statement: str) -> Description:
        """Parse the comment above an SQL statement: text, then columns, with continuation lines indented."""
        comment = "".join(line[2:] + "\n" for line in statement.splitlines() if line.startswith("--"))
        lines = re.sub(r"\n {3}", " ", comment).splitlines()
        found = cls()
        for line in lines:
            if named := COLUMNS.fullmatch(line.strip()):
                found.columns |= dict.fromkeys(named[1].split(", "), named[2])
            else:
                found.text = f"{found.text} {line.strip()}".strip()
        return found


def descriptions() -> dict[str, Description]:
    """Return the descriptions of all tables and views after the last migration, by name."""
    found: dict[str, Description] = {}
    for statement in ";".join(SCHEMAS).split(";"):
        if created := CREATED.search(statement):
            found[created[1]] = Description.of(statement)
        elif added := ADDED.search(statement):
            found[added[1]].columns |= Description.of(statement).columns
    return found


def described(store: Store) -> dict[str, Description]:
    """Return the descriptions of those tables, views and columns that a database has, by name."""
    rows = store.rows(
        "SELECT s.name, c.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c"
        " WHERE s.type IN ('table', 'view') ORDER BY s.rowid, c.cid"
    )
    known = descriptions()
    found: dict[str, Description] = {}
    for name, column in rows:
        if name in known:
            about = found.setdefault(name, Description(known[name].text))
            if column in known[name].columns:
                about.columns[column] = known[name].columns[column]
    return found
