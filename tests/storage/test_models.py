"""Models: the same to the bit after any journey; what was truncated, altered or made up is not taken in."""

from __future__ import annotations

import importlib
import io
import json
import os
import random
import resource
import shutil
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from arena import ArenaError, Game
from arena.api.packing import pack_states, unpack_states
from arena.api.spec import Spec
from arena.compiler import is_compiled
from arena.registry import digests
from arena.registry.plugins import registry
from arena.rng import Rng
from arena.storage import model_file
from arena.training.learners import train_slice, untrained
from commands import arena as apart
from commands import in_a_new_worker, inside
from tiers import tiers

GAME = """
from arena import Game, hookimpl

class Nim(Game):
    def initial(self):
        return (21, 0)

    def moves(self, state):
        return [n for n in (1, 2, 3) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1

@hookimpl
def register_games(register):
    register("nim", "nim_game:Nim")
"""

LEARNER = """
import numpy as np
from arena import Learner, hookimpl, option

class Heaps(Learner):
    episodes: int = option(40, "how many")
    rate: float = option(0.5, "learning rate")

    def prepare(self):
        self.worth = np.zeros(22)

    def learn(self, episode, rng):
        state, heaps = self.game.initial(), []
        while moves := self.game.moves(state):
            state = self.game.play(state, rng.choice(moves))
            heaps.append(state[0])
        for turn, heap in enumerate(reversed(heaps)):
            self.worth[heap] += self.rate * ((-1) ** turn - self.worth[heap])
        return 1 if len(heaps) % 2 else -1

    def model(self):
        return {"worth": self.worth}

    def recall(self, model):
        self.worth[:] = model["worth"]

    def choose(self, state, moves, rng):
        return max(moves, key=lambda move: self.worth[state[0] - move])

@hookimpl
def register_agents(register):
    register("heaps", "nim_learner:Heaps")
"""


class Pile(Game):
    """One heap; take one, two or three. Whoever takes the last wins. Positions are kept as texts."""

    flat = False

    def initial(self):
        return (21, "a")

    def moves(self, state):
        return [n for n in (1, 2, 3) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, "ba"[self.to_move(state)])

    def to_move(self, state):
        return "ab".index(state[1])

    def value(self, state):
        return -1


PILE = Spec("pile", "test_models:Pile", {})
LEARNERS = ["q-table:episodes=60", "double-q:episodes=60"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where the test's models are kept; learning runs in plain Python."""
    kept = tmp_path / "kept"
    monkeypatch.setenv("ARENA_MODELS", str(kept))
    monkeypatch.setenv("ARENA_COMPILED", "0")
    return kept


def arena(folder, *args, **given):
    """The command in this process, or in one of its own that has plugins or is asked by a shell."""
    return (apart if "PYTHONPATH" in given or not args else inside)(folder, *args, **given)


def specs(agent: str, game: str | Spec = "tic-tac-toe") -> tuple[Spec, Spec]:
    return registry().spec("agent", agent), game if isinstance(game, Spec) else registry().spec("game", game)


def learned(agent: str, game: str | Spec = "tic-tac-toe", many: int | None = None) -> Path:
    """The file of a model that has learned from all its episodes, or so many."""
    spec, game = specs(agent, game)
    about = model_file.about_learner(untrained(spec, game))
    done = in_a_new_worker(train_slice, spec, game, about, about.planned if many is None else many, True)
    return model_file.path_of(done.about)


def altered(path: Path, to: Path, about: dict | None = None, arrays: dict | None = None) -> Path:
    """A model's file written anew with a word of `about` or an array changed, and its digests made to fit."""
    model = model_file.read(path)
    model.arrays = {name: a for name, a in {**model.arrays, **(arrays or {})}.items() if a is not None}
    for name, value in (about or {}).items():
        setattr(model.about, name, value)
    model_file.write(model, to)
    return to


def refusal(path: Path) -> str:
    """The one line that a file is refused with."""
    with pytest.raises(ArenaError) as refused:
        model_file.read(path)
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)
    return str(refused.value)


def repacked(path: Path, to: Path, change, **how) -> Path:
    """A zip archive of a model's members after `change` had the dict of them; `how`: as ZipFile takes it."""
    with zipfile.ZipFile(path) as zipped:
        members = {name: zipped.read(name) for name in zipped.namelist()}
    change(members)
    with zipfile.ZipFile(to, "w", **how) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return to


def npy(descr: str, shape: str, data: bytes) -> bytes:
    """An array in numpy's format 1.0 with a header as stated."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


# --- round trips ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["tic-tac-toe", PILE], ids=str)
@pytest.mark.parametrize("agent", LEARNERS)
def test_what_was_learned_comes_back_to_the_bit(agent, game, tmp_path):
    path = learned(agent, game)
    model = model_file.read(path)
    with np.load(path, allow_pickle=False) as loaded:  # numpy's own reading of it
        plain = {name: loaded[name] for name in loaded.files if name != model_file.ABOUT}
    assert plain.keys() == model.arrays.keys() == {"states", "values"}
    for name, array in plain.items():
        assert array.dtype == model.arrays[name].dtype
        assert array.shape == model.arrays[name].shape
        assert array.tobytes() == model.arrays[name].tobytes()
    assert len(plain["states"]) > 10
    spec, game_spec = specs(agent, game)
    ready = spec.make(game_spec.make())
    again = {name: np.asarray(array) for name, array in ready.model().items()}
    assert all(again[name].tobytes() == array.tobytes() for name, array in plain.items())
    model_file.write(model_file.Model(model.about, again), tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("agent", tiers(LEARNERS, quick=["q-table:episodes=60"]))
def test_a_model_learned_in_plain_python_serves_compiled_agents(agent, monkeypatch):
    learned(agent)
    spec, game = specs(agent)
    plain = spec.make(game.make())
    state, asked = plain.game.initial(), []
    while moves := plain.game.moves(state):
        asked.append((state, moves, plain.choose(state, moves, Rng(1))))
        state = plain.game.play(state, asked[-1][-1])
    monkeypatch.setenv("ARENA_COMPILED", "1")
    compiled = spec.make(game.make())
    assert is_compiled(compiled)
    for state, moves, move in asked:
        assert compiled.choose(state, moves, Rng(1)) == move
    compiled._begin_learning()
    while compiled.full():
        compiled.grow()
    assert is_compiled(compiled)


@pytest.mark.parametrize(
    "array",
    [
        np.array(3.5),
        np.zeros((0, 4)),
        np.arange(6).reshape(2, 3).T,
        np.array(["a", "ßé", ""]),
        np.array([1, 2], ">i4"),
        np.array([np.nan, -0.0, np.inf]),
        np.array([True, False]),
    ],
    ids=lambda array: f"{array.dtype} {array.shape}",
)
def test_every_kind_of_array_keeps_type_shape_and_bits(array, tmp_path):
    path = altered(learned(LEARNERS[0]), tmp_path / "m.npz", arrays={"extra": array})
    found = model_file.read(path).arrays["extra"]
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert not found.flags.writeable


def test_what_is_neither_number_nor_text_is_not_written(tmp_path):
    path = learned(LEARNERS[0])
    before = path.read_bytes()
    with pytest.raises(ArenaError, match="returns object for 'extra' in its model; use numbers or texts"):
        altered(path, path, arrays={"extra": np.array([{}, None])})
    assert path.read_bytes() == before


# --- files gone wrong -----------------------------------------------------------------------------------


def test_a_file_cut_off_anywhere_is_refused_on_one_line(tmp_path):
    data = learned("q-table:episodes=2").read_bytes()
    path = tmp_path / "cut.npz"
    for length in {*range(0, len(data), 5), *range(len(data) - 30, len(data))}:
        path.write_bytes(data[:length])
        assert "is not an intact model" in refusal(path)


@pytest.mark.slow
def test_a_file_altered_anywhere_is_refused_or_the_same_model(tmp_path):
    whole = learned("q-table:episodes=2")
    data, model = whole.read_bytes(), model_file.read(whole)
    path = tmp_path / "altered.npz"
    draw = random.Random(1)
    refused = 0
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= draw.randint(1, 255)
        path.write_bytes(changed)
        try:
            found = model_file.read(path)
        except ArenaError:
            assert refusal(path)
            refused += 1
        else:
            assert found.about == model.about
            assert model_file.content_digest(found.arrays) == model.about.sha256
    with zipfile.ZipFile(whole) as zipped:  # these at least; what is left are dates and the like
        assert refused >= sum(member.file_size for member in zipped.infolist())


def test_nothing_pickled_is_loaded(tmp_path):
    sign = tmp_path / "executed"

    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(sign),))

    pickled = io.BytesIO()
    np.save(pickled, np.array([Evil()], object), allow_pickle=True)
    path = repacked(
        learned(LEARNERS[0]), tmp_path / "m.npz", lambda m: m.update({"evil.npy": pickled.getvalue()})
    )
    assert "is not an intact model" in refusal(path)
    assert not sign.exists()
    with np.load(path, allow_pickle=True) as loaded:  # which would have executed it
        loaded["evil"]
    assert sign.exists()


@pytest.mark.parametrize(
    "data",
    [
        npy("'<f8'", "(1000000000000000,)", b"\0" * 8),
        npy("'<f8'", "(-1, -1)", b"\0" * 8),
        npy("'<f8'", f"({10**400},)", b"\0" * 8),
        npy("'<f8'", "(0, 99999999999999999999)", b""),
        npy("'<f8'", "(1,)", b"\0" * 16),
        npy("'<f8'", "1", b"\0" * 8),
        npy("'|V8'", "(1,)", b"\0" * 8),
        npy("[('a', '<f8')]", "(1,)", b"\0" * 8),
        npy("'<U0'", "(3,)", b""),
        npy("'nothing'", "(1,)", b"\0" * 8),
        npy("(" * 4000, "(1,)", b"\0" * 8),
        b"\x93NUMPY\x09\x00",
        b"no array",
        b"",
    ],
    ids=lambda data: repr(data[10:50]),
)
def test_an_array_that_claims_what_is_not_there_is_refused(data, tmp_path):
    path = repacked(learned(LEARNERS[0]), tmp_path / "m.npz", lambda m: m.update({"values.npy": data}))
    assert "is not an intact model" in refusal(path)


@pytest.mark.slow
def test_a_file_that_would_unpack_to_more_than_it_is_is_refused(tmp_path):
    huge = npy("'<f8'", "(12500000,)", bytes(10**8))
    path = repacked(
        learned(LEARNERS[0]),
        tmp_path / "m.npz",
        lambda m: m.update({"huge.npy": huge}),
        compression=zipfile.ZIP_DEFLATED,
    )
    assert path.stat().st_size < 10**6
    assert "is not an intact model" in refusal(path)


def test_members_that_are_missing_or_there_twice_are_refused(tmp_path):
    path = learned(LEARNERS[0])
    for name in ("states.npy", "values.npy", model_file.ABOUT):
        less = repacked(path, tmp_path / "less.npz", lambda m, name=name: m.pop(name))
        assert "is not an intact model" in refusal(less)
    twice = shutil.copy(path, tmp_path / "twice.npz")
    with zipfile.ZipFile(twice, "a") as zipped, pytest.warns(UserWarning, match="Duplicate name"):
        zipped.writestr("values.npy", zipped.read("values.npy"))
    assert "is not an intact model" in refusal(twice)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "was written by a newer arena (format 2, not 1); upgrade"),
        ({"format": 0}, "its description was altered"),
        ({"seed": 1}, "its description was altered"),
        ({"agent": "../q-table"}, "its description was altered"),
        ({"key": "../../home"}, "its description was altered"),
        ({"planned": 61}, "its description was altered"),
        ({"episodes": 61}, "its description was altered"),
        ({"sha256": "0" * 64}, "its arrays were altered"),
        ({"game": 7}, "is not an intact model"),
        ({"options": []}, "is not an intact model"),
        ({"surprise": 1}, "is not an intact model"),
        ({"episodes": None}, "is not an intact model"),
    ],
    ids=str,
)
def test_what_a_model_says_of_itself_is_checked(change, said, tmp_path):
    def restate(members):
        members[model_file.ABOUT] = json.dumps({**json.loads(members[model_file.ABOUT]), **change}).encode()

    assert said in refusal(repacked(learned(LEARNERS[0]), tmp_path / "m.npz", restate))


@pytest.mark.parametrize("text", ["", "[]", "7", "{", "[" * 10**5, "\xff", '{"format": 1}'])
def test_a_model_that_says_nothing_of_itself_is_refused(text, tmp_path):
    path = repacked(
        learned(LEARNERS[0]),
        tmp_path / "m.npz",
        lambda m: m.update({model_file.ABOUT: text.encode("latin-1")}),
    )
    assert "is not an intact model" in refusal(path)


@contextmanager
def nobody(path):
    """For a while a file may not be read; root may always, so it is somebody else for that while."""
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_what_is_no_file_of_ours_to_read_is_told_on_one_line(tmp_path):
    whole = learned(LEARNERS[0])
    assert "it is a folder, not a file" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe.npz")
    assert "it is a pipe, a socket or a device" in refusal(tmp_path / "pipe.npz")
    assert "there is no model" in refusal(tmp_path / "nothing.npz")
    assert "there is no model" in refusal(whole / "below.npz")
    link = tmp_path / "link.npz"
    link.symlink_to(whole)
    assert model_file.read(link).about == model_file.read(whole).about
    link.unlink()
    link.symlink_to(tmp_path / "nothing.npz")
    assert "there is no model" in refusal(link)
    with nobody(whole):
        assert "Permission denied" in refusal(whole)


# --- writing --------------------------------------------------------------------------------------------


def test_a_write_that_fails_midway_leaves_what_was_there(tmp_path):
    path = learned(LEARNERS[0])
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 100, 1000, len(before) - 10):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))  # no file may grow larger: File too large
        try:
            with pytest.raises(ArenaError, match=f"cannot write the model {path}: ") as failed:
                altered(path, path, about={"wins": 10**6})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert "\n" not in str(failed.value)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]


def test_a_write_that_is_interrupted_leaves_what_was_there(monkeypatch):
    path = learned(LEARNERS[0])
    before = path.read_bytes()

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", interrupted)
    with pytest.raises(KeyboardInterrupt):
        altered(path, path, about={"wins": 10**6})
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


# --- use ------------------------------------------------------------------------------------------------


def made(agent: str = LEARNERS[0]):
    spec, game = specs(agent)
    return spec.make(game.make())


def test_an_entry_says_how_to_train_it_and_how_to_go_on():
    with pytest.raises(ArenaError, match=r'train it: arena\.train\("q-table:episodes=60", game="tic'):
        made()
    learned(LEARNERS[0], many=20)
    with pytest.raises(
        ArenaError, match=r'from 20 of 60 episodes of tic-tac-toe; continue: arena.train\("q-table'
    ):
        made()


@pytest.mark.parametrize(
    "arrays",
    [
        {"values": None},
        {"values": np.zeros((3, 7))},
        {"values": np.array(["a", "b"])},
        {"states": np.array(1)},
        {"states": np.full((500, 2), "x"), "values": np.zeros((500, 1))},
    ],
    ids=lambda arrays: " ".join(f"{name} {getattr(array, 'shape', None)}" for name, array in arrays.items()),
)
def test_a_model_that_does_not_fit_its_learner_is_told_on_one_line(arrays, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "1")
    path = learned(LEARNERS[0])
    altered(path, path, arrays=arrays)
    key = model_file.id_of(path)
    with pytest.raises(ArenaError) as refused:
        made()
    text = str(refused.value)
    assert text.startswith(f"'q-table:episodes=60' cannot recall its model {key}: ")
    assert text.endswith(
        '; train it again: arena.train("q-table:episodes=60", game="tic-tac-toe", retrain=True)'
    )
    assert "\n" not in text
    assert len(text) < 400


def test_a_model_under_another_ones_name_is_not_used():
    mine, other = learned(LEARNERS[0]), learned("q-table:episodes=60,seed=1")
    shutil.copy(other, mine)
    with pytest.raises(
        ArenaError, match=f"contains a different model, {model_file.id_of(other)}; train it again: arena"
    ):
        made()


def test_models_have_another_key_if_anything_that_makes_them_differs():
    texts = [
        *LEARNERS,
        *(f"q-table:episodes=60,{more}" for more in ("seed=1", "alpha=0.1", "opponent=first")),
    ]
    found = [model_file.about_learner(untrained(*specs(text))).key for text in texts]
    found.append(model_file.about_learner(untrained(*specs(LEARNERS[0], PILE))).key)
    assert len(set(found)) == len(found)
    assert model_file.about_learner(untrained(*specs("q-table:alpha=0.05,episodes=60"))).key == found[0]


def package(folder: Path, name: str, **sources: str):
    """A package imported anew whose class `Pupil` learns."""
    (folder / name).mkdir()
    head = "from arena import Learner\nfrom .near import near\n"
    body = "class Pupil(Learner):\n    def choose(self, *args):\n        from . import late\n"
    files = {"__init__": head + body, "near": "near = 1\n", "late": "late = 1\n", "other": "other = 1\n"}
    for module, source in {**files, **sources}.items():
        (folder / name / f"{module}.py").write_text(source)
    return importlib.import_module(name).Pupil


def test_the_digest_of_code_is_of_what_a_learner_imports_and_not_of_what_else_is_loaded(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(tmp_path)
    first = digests.source_digest(package(tmp_path, "pupils_a"))
    again = package(tmp_path, "pupils_b")
    for module in ("late", "other"):
        importlib.import_module(f"pupils_b.{module}")
    assert digests.source_digest(again) == first
    assert digests.source_digest(package(tmp_path, "pupils_c", other="other = 2\n")) == first
    assert digests.source_digest(package(tmp_path, "pupils_d", near="near = 2\n")) != first
    assert digests.source_digest(package(tmp_path, "pupils_e", late="late = 2\n")) != first


@pytest.mark.parametrize(("game", "kind"), [("tic-tac-toe", np.int64), (PILE, np.str_)], ids=str)
def test_positions_are_kept_as_numbers_where_they_are_tuples_of_ints_and_else_as_texts(game, kind):
    made = specs(LEARNERS[0], game)[1].make()
    states = [made.initial(), *(made.play(made.initial(), move) for move in made.moves(made.initial()))]
    packed = pack_states(made, states)
    assert packed.dtype.type is kind
    assert unpack_states(packed) == states
    assert unpack_states(pack_states(made, [])) == []


def test_positions_that_texts_cannot_hold_are_refused():
    class Odd(Pile):
        """Its positions are objects."""

        def initial(self):
            return object()

        def moves(self, state):
            return []

    with pytest.raises(ArenaError, match="cannot be stored: <object"):
        pack_states(Odd(), [Odd().initial()])


# --- the command line -----------------------------------------------------------------------------------


def asked(folder, *args):
    return json.loads(arena(folder, "models", *args, "--json").stdout)


def failed(folder, *args, **env) -> str:
    done = arena(folder, "models", *args, status=1, **env)
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_models_are_listed_shown_and_removed(folder, tmp_path):
    assert asked(tmp_path, "list") == []
    paths = sorted([learned(LEARNERS[0]), learned(LEARNERS[1]), learned(LEARNERS[0], PILE, many=20)])
    spoilt = folder / "q-table-00000000000000ff.npz"
    spoilt.write_bytes(paths[0].read_bytes()[:-50])
    rows = {row["path"]: row for row in asked(tmp_path, "list")}
    assert len(rows) == 4
    assert "was truncated or altered" in rows[str(spoilt)]["error"]
    assert {row["bytes"] for row in rows.values()} == {path.stat().st_size for path in folder.iterdir()}
    facts = {(r["agent"], r["game"], r["episodes"], r["planned"]) for r in rows.values() if "error" not in r}
    assert facts == {
        (LEARNERS[0], "tic-tac-toe", 60, 60),
        (LEARNERS[1], "tic-tac-toe", 60, 60),
        (LEARNERS[0], "pile", 20, 60),
    }
    text = arena(tmp_path, "models", "list").stdout
    assert "20 of 60" in text
    assert text.splitlines()[-1].startswith("00000000000000ff  failed: ")

    for path in paths:
        whole = model_file.read(path)
        shown = asked(tmp_path, "show", model_file.id_of(path)[:12])
        assert shown["sha256"] == whole.about.sha256
        assert shown["options"] == whole.about.options
        assert shown["fits"] == (whole.about.game == "tic-tac-toe")
        with np.load(path) as loaded:
            expected = [
                (n, str(a.dtype), list(a.shape), a.nbytes) for n, a in loaded.items() if n != model_file.ABOUT
            ]
        assert [(a["name"], a["type"], a["shape"], a["bytes"]) for a in shown["arrays"]] == expected
    text = arena(tmp_path, "models", "show", str(paths[0])).stdout
    assert "\n  fits: yes\n" in text

    going = [learned(LEARNERS[0]), learned(LEARNERS[1])]
    size = sum(path.stat().st_size for path in going)
    done = arena(tmp_path, "models", "remove", *map(model_file.id_of, going), "--yes")
    assert done.stderr == f"Removed 2 models, {size:,} bytes: {going[0].stem} {going[1].stem}\n"
    assert len(list(folder.iterdir())) == 2
    arena(tmp_path, "models", "remove", "--all", "--yes")
    assert list(folder.iterdir()) == []
    assert arena(tmp_path, "models", "remove", "--all").stderr == "Removed 0 models, 0 bytes\n"


def test_what_cannot_be_removed_is_told_with_what_was(folder, tmp_path):
    path = learned(LEARNERS[0])
    (folder / "z.npz").mkdir()
    size = path.stat().st_size
    done = arena(tmp_path, "models", "remove", "--all", "--yes", status=1)
    removed, error = done.stderr.splitlines()
    assert removed == f"Removed 1 model, {size:,} bytes: {path.stem}"
    assert error == f"Error: cannot remove {folder / 'z.npz'}: Is a directory"


def test_a_model_that_is_not_named_well_is_told_on_one_line(folder, tmp_path):
    path = learned(LEARNERS[0])
    key = model_file.id_of(path)
    shutil.copy(path, folder / f"q-table-{key[:-1]}x.npz")
    assert f"no model 'z{key[1:]}', did you mean '{key[:-1]}" in failed(tmp_path, "show", f"z{key[1:]}")
    assert "no model 'zz' (see 'arena models list')" in failed(tmp_path, "remove", "zz")
    assert f"2 models begin with '{key[:4]}'" in failed(tmp_path, "remove", key[:4])
    assert "no model ''" in failed(tmp_path, "remove", "")
    assert "there is no model none.npz" in failed(tmp_path, "show", "none.npz")
    assert "pass either models, --all or --unused" in arena(tmp_path, "models", "remove", status=2).stderr
    assert (
        "pass either models, --all or --unused"
        in arena(tmp_path, "models", "remove", key, "--all", status=2).stderr
    )
    assert len(list(folder.iterdir())) == 2


def test_a_model_goes_from_one_folder_to_another(folder, tmp_path):
    path = learned(LEARNERS[0])
    key, before = model_file.id_of(path), path.read_bytes()
    out = tmp_path / "q.npz"
    arena(tmp_path, "models", "export", key, "q.npz")
    assert out.read_bytes() == before
    assert "already exists" in failed(tmp_path, "export", key, "q.npz")
    out.write_bytes(b"")
    arena(tmp_path, "models", "export", key, "q.npz", "--force")
    assert out.read_bytes() == before
    assert "there is no folder none" in failed(tmp_path, "export", key, "none/q.npz")
    assert (
        asked(tmp_path, "show", "q.npz")["misfit"]
        == "it is not where it is looked for: arena models import q.npz"
    )

    there = {"ARENA_MODELS": str(tmp_path / "there")}
    for said in ("Imported model", "There is model"):
        assert arena(tmp_path, "models", "import", "q.npz", **there).stderr.startswith(f"{said} {key}, ")
        assert [p.read_bytes() for p in (tmp_path / "there").iterdir()] == [before]
    kept = tmp_path / "there" / path.name
    kept.write_bytes(before[:-9])  # a damaged one is replaced
    arena(tmp_path, "models", "import", "q.npz", **there)
    assert kept.read_bytes() == before
    played = arena(tmp_path, "match", LEARNERS[0], "first", "--matches", "2", **there)
    assert "Training" not in played.stderr

    path.write_bytes(before[:-9])
    assert "was truncated or altered" in failed(tmp_path, "export", key, "spoilt.npz")
    assert not (tmp_path / "spoilt.npz").exists()


def test_an_unfinished_model_goes_on_elsewhere_and_never_back(tmp_path):
    whole = learned(LEARNERS[0])
    arrays = model_file.read(whole).about.sha256
    whole.unlink()
    part = learned(LEARNERS[0], many=20)
    said = arena(tmp_path, "models", "export", model_file.id_of(part), "part.npz").stderr
    assert "trained on 20 of 60 episodes" in said
    there = {"ARENA_MODELS": str(tmp_path / "there")}
    arena(tmp_path, "models", "import", "part.npz", **there)
    learnt = arena(tmp_path, "train", LEARNERS[0], "--json", "--executor", "serial", **there).stdout
    assert json.loads(learnt)["sha256"] == arrays
    arena(tmp_path, "models", "import", "part.npz", **there)
    assert model_file.read(tmp_path / "there" / part.name).about.sha256 == arrays


@pytest.fixture(scope="module")
def foreign(plugin, tmp_path_factory):
    """A model of a learner that plugins bring, exported, and those plugins."""
    env = plugin(nim_game=GAME, nim_learner=LEARNER)
    folder = tmp_path_factory.mktemp("foreign")
    env["ARENA_MODELS"] = str(folder)
    arena(folder, "train", "heaps", "--game", "nim", "--executor", "serial", **env)
    (path,) = folder.glob("*.npz")
    return path, env


@pytest.mark.slow
def test_a_model_is_taken_in_only_where_it_fits(foreign, plugin, tmp_path):
    path, env = foreign
    cases = [
        ({}, "no game called 'nim'"),
        ({"nim_game": GAME}, "no agent called 'heaps'"),
        ({"nim_game": GAME.replace("21", "22"), "nim_learner": LEARNER}, "rules of nim that differ"),
        (
            {
                "nim_game": GAME,
                "nim_learner": LEARNER.replace("turn, heap", "n, heap").replace("** turn", "** n"),
            },
            "the source of heaps",
        ),
        (
            {"nim_game": GAME, "nim_learner": LEARNER.replace("option(0.5", "option(0.25")},
            "heaps has other options here: rate",
        ),
        (
            {
                "nim_game": GAME,
                "nim_learner": LEARNER.replace("(Learner)", "(Agent)").replace("Learner,", "Agent,"),
            },
            "does not learn",
        ),
        ({"nim_game": GAME, "nim_learner": LEARNER.replace("np.zeros(22)", "1 / 0")}, "ZeroDivisionError"),
    ]
    for texts, said in cases:
        here = {**plugin(**texts), "ARENA_MODELS": str(tmp_path / "here")}
        assert said in failed(tmp_path, "import", str(path), **here)
        assert not (tmp_path / "here").exists()
    shown = json.loads(arena(tmp_path, "models", "show", str(path), "--json", **here).stdout)
    assert not shown["fits"]
    assert "ZeroDivisionError" in shown["misfit"]
    here = {**env, "ARENA_MODELS": str(tmp_path / "here")}
    few = altered(path, tmp_path / "few.npz", arrays={"worth": np.zeros(5)})
    assert "'heaps' cannot recall its model" in failed(tmp_path, "import", str(few), **here)
    assert not (tmp_path / "here").exists()
    arena(tmp_path, "models", "import", str(path), **here)
    assert (tmp_path / "here" / path.name).read_bytes() == path.read_bytes()


def test_models_that_nothing_installed_uses_can_be_removed(foreign, folder, tmp_path):
    path, env = foreign
    mine = learned(LEARNERS[0])
    shutil.copy(path, folder)
    with_plugin = {**env, "ARENA_MODELS": str(folder)}
    assert (
        arena(tmp_path, "models", "remove", "--unused", **with_plugin).stderr == "Removed 0 models, 0 bytes\n"
    )
    done = arena(tmp_path, "models", "remove", "--unused", "--yes")
    assert done.stderr == f"Removed 1 model, {path.stat().st_size:,} bytes: {path.stem}\n"
    assert list(folder.iterdir()) == [mine]


@pytest.mark.slow
def test_a_shell_completes_models(folder, tmp_path):
    key = model_file.id_of(learned(LEARNERS[0]))
    for command in ("show", "export", "remove"):
        words = {"COMP_WORDS": f"arena\nmodels\n{command}\n{key[:3]}", "COMP_CWORD": "3"}
        done = arena(tmp_path, _ARENA_COMPLETE="bash_complete", **words)
        assert done.stdout == f"plain,{key}\n"
        assert done.stderr == ""
