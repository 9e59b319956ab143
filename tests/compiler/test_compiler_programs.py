"""Programs made at random: compiled they do the same as in plain Python, to the bit, or they are refused."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import nullcontext
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from arena.compiler import machine
from arena.compiler.switch import Host
from programs import Writer
from text_programs import TextWriter
from trial import trial
from wide_programs import WideWriter

COUNT = int(os.environ.get("ARENA_PROGRAMS", "2000"))  # programs of the slow test
WIDE = int(os.environ.get("ARENA_PROGRAMS", "5000"))  # those over the whole language
PARTS = 8
OPTIMISED = 5  # one program in so many is optimised as for users; the others compile four times as fast


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where programs are written, and their machine code kept."""
    folder = tmp_path_factory.mktemp("programs")
    with pytest.MonkeyPatch.context() as monkey:
        monkey.setenv("ARENA_CACHE", str(folder / "cache"))
        monkey.setenv("ARENA_DEBUG_COMPILER", "1")  # errors of the compiler are no refusals
        monkey.setattr(Host, "keeps", False)
        yield folder


@settings(max_examples=15, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
@pytest.mark.slow
def test_a_program_does_the_same_compiled_or_is_refused(folder, chance):
    same_or_refused(folder, Writer(chance).program())


@pytest.mark.parametrize("writer", [WideWriter, TextWriter])
@settings(max_examples=4, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
@pytest.mark.slow
def test_so_does_one_over_the_whole_language_or_with_texts(folder, writer, chance):
    same_or_refused(folder, writer(chance).program())


def same_or_refused(folder, text):
    note(text)
    trial(text, folder, "made")


def unoptimised():
    """Within this context, machine code is generated fast."""
    return patch.object(machine, "object_code", machine.quick_code)


def check(folder, seeds, writer=Writer, least=0.9):
    """Programs of these seeds do the same, and at least so many of them compile."""
    kinds = Counter()
    for seed in seeds:
        text = writer(Random(seed)).program()
        try:
            with nullcontext() if seed % OPTIMISED == 0 else unoptimised():
                kind = trial(text, folder, "made")
        except Exception as error:
            error.add_note(f"the program of seed {seed}:\n{text}")
            raise
        kinds[kind.partition(":")[0]] += 1
    print(dict(kinds))
    assert kinds["refused"] <= len(seeds) * (1 - least)
    assert kinds["outside"] <= len(seeds) / 10


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_so_do_nine_in_ten_of_many(folder, part):
    check(folder, range(part * COUNT // PARTS, (part + 1) * COUNT // PARTS))


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_so_do_half_of_many_over_the_whole_language(folder, part):
    """Run it with ARENA_CHECKED=1, too: then an access out of bounds raises."""
    check(folder, range(part * WIDE // PARTS, (part + 1) * WIDE // PARTS), WideWriter, 0.5)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_so_do_three_in_four_of_many_with_texts(folder, part):
    check(folder, range(part * COUNT // PARTS, (part + 1) * COUNT // PARTS), TextWriter, 0.75)
