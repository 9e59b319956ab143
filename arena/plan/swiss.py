"""The Swiss system: entries with equal points meet, and no pairing occurs twice."""

from __future__ import annotations

import math

from arena.api.format import Format, Stage, Standing
from arena.api.options import option
from arena.errors import ArenaError
from arena.texts import argument

WON, DRAWN, BYE = 10, 5, 10  # tenths of a point


class Swiss(Format):
    """FIDE's Dutch system: in each round entries with equal points meet, and no pairing occurs twice.

    A meeting consists of several matches from each seat and counts one point. A few rounds suffice to find
    the best of many entries; ratings are computed from all matches. Needs the package py4swiss: pip install
    'arena-tournament[swiss]'.
    """

    meetings: int = option(10, "matches per pairing from each seat", low=1, high=1_000_000)

    def check_entries(self, entries: int) -> None:
        if entries < 3:
            other = argument("format", "round-robin")
            raise ArenaError(f"swiss: {entries} entries can meet only once; use {other}")
        try:
            import py4swiss  # noqa: F401
        except ImportError as error:
            need = "pip install 'arena-tournament[swiss]'"
            raise ArenaError(f"swiss needs the package py4swiss, which is not installed: {need}") from error

    def usual_rounds(self, entries: int) -> int:
        """Return two more rounds than are needed for at most one entry to win all its meetings."""
        return min(math.ceil(math.log2(entries)) + 2, most_rounds(entries))

    def limit(self, entries: int, rounds: int) -> int:
        if rounds > most_rounds(entries):
            longer = argument("format", "swiss:meetings=100")
            raise ArenaError(
                f"swiss: rounds is {rounds}, and nobody meets twice: {entries} entries have at most "
                f"{most_rounds(entries)}; for more matches increase meetings: {longer}"
            )
        return rounds * (entries // 2) * 2 * self.meetings

    def next_stage(self, standing: Standing) -> Stage | None:
        if standing.stages >= standing.rounds:
            return None
        pairings = self.pairings(standing)
        if pairings is None:
            return None
        return Stage([seats for a, b in pairings for seats in ((a, b), (b, a))], self.meetings)

    def notes(self, standing: Standing) -> list[str]:
        rounds = f"{standing.stages} of {standing.rounds} rounds"
        return [f"After {rounds}  no further round can be paired without repeating a pairing."] * (
            standing.stages < standing.rounds
        )

    def pairings(self, standing: Standing) -> list[tuple[int, int]] | None:
        """Return the pairings of the next round, or None if it cannot be paired.

        Earlier pairings are not recorded: they are reconstructed by pairing all rounds again, given their
        results.
        """
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common.exceptions import PairingError
        from py4swiss.trf import ParsedTrf
        from py4swiss.trf.codes import PlayerCode
        from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
        from py4swiss.trf.sections import PlayerSection, XSection

        players = [
            PlayerSection(code=PlayerCode.PLAYER, starting_number=i, points_times_ten=0, rank=i)
            for i in range(1, standing.entries + 1)
        ]
        trf = ParsedTrf(player_sections=players, x_section=XSection(number_of_rounds=standing.rounds))
        won, drawn, lost = (ResultToken.WIN, WON), (ResultToken.DRAW, DRAWN), (ResultToken.LOSS, 0)
        met: list[tuple[int, int]] = []
        for round in range(standing.stages + 1):
            try:
                found = sorted((one.white, one.black) for one in DutchEngine.generate_pairings(trf))
            except PairingError:
                return None
            met = [(a - 1, b - 1) for a, b in found if a and b]
            if round == standing.stages:
                break
            for a, b in found:
                if not a or not b:
                    player = players[max(a, b) - 1]
                    bye = ColorToken.BYE_OR_NOT_PAIRED
                    player.results.append(
                        RoundResult(id=0, color=bye, result=ResultToken.PAIRING_ALLOCATED_BYE)
                    )
                    player.points_times_ten += BYE
                    continue
                ahead = lead(standing, a - 1, b - 1)
                ends = (won, lost) if ahead > 0 else (lost, won) if ahead < 0 else (drawn, drawn)
                sides = ((a, b, ColorToken.WHITE), (b, a, ColorToken.BLACK))
                for (player_id, other, color), (token, points) in zip(sides, ends, strict=True):
                    player = players[player_id - 1]
                    player.results.append(RoundResult(id=other, color=color, result=token))
                    player.points_times_ten += points
        return met


def most_rounds(entries: int) -> int:
    """Return the maximum number of rounds in which no pairing is repeated and no entry has two byes."""
    return entries - 1 if entries % 2 == 0 else entries


def lead(standing: Standing, a: int, b: int) -> int:
    """Return by how many matches `a` is ahead of `b`; a withdrawn entry is behind."""
    (won, _, lost), (lost_back, _, won_back) = standing.results[a, b], standing.results[b, a]
    gone = (b in standing.withdrawn) - (a in standing.withdrawn)
    return gone or int(won + won_back - lost - lost_back)
