"""Databases altered as by somebody who knows how arena writes them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from arena.commands.verify.recount import Recount
from arena.commands.verify.repeatable import Lenient, plan_there
from arena.registry.plugins import registry
from arena.storage import checksums
from arena.storage.corrections import drop_fits
from arena.storage.database import Store
from records import add_up


def made_anew(db: Path) -> None:
    """Have sums, Elo and checksums be those of the matches; ratings that were kept are taken out."""
    add_up(db)
    with closing(Store(db, write=True)) as store, store.transaction():
        for found in store.tournaments():
            store.db.execute("DELETE FROM elo WHERE tournament = ?", (found.id,))
            drop_fits(store, found.id)
            if not found.exact:
                recount = Recount(store, found, plan_there(found.settings, Lenient(registry())))
                for _ in recount.records():
                    pass
                for rounds, ratings in recount.elo:
                    store.add_elo(found.id, recount.ids, rounds, ratings)
    checksums_anew(db)


def checksums_anew(db: Path) -> None:
    """Have the checksums be those of what is recorded."""
    with closing(Store(db, write=True, any_sums=True)) as store, store.transaction():
        for (number,) in store.rows("SELECT id FROM tournaments"):
            checksums.restate(store, number)
            played = checksums.in_hex(checksums.played_in(store, number))
            store.db.execute("UPDATE checksums SET played = ? WHERE tournament = ?", (played, number))
