from __future__ import annotations

import pickle
from typing import Literal, Optional

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena import ArenaError, option
from arena.api.options import Configurable, join_text, read_options, split_text
from arena.api.spec import Spec
from arena.registry.plugins import Registry
from arena_games.tic_tac_toe import TicTacToe


class Everything(Configurable):
    """An option of each type."""

    depth: int = option(3, "plies", low=0, high=10)
    rate: float = option(0.5, "step size", low=0)
    limit: int | None = option(None, "at most", high=100)
    fast: bool = option(False, "hurry")
    ties: Literal["first", "random"] = option("first", "which of the best")
    sides: Literal[1, 2] = option(2, "how many sides")
    note: str = option("none yet", "any text")
    symmetry: tuple[str, ...] = option((), "which symmetries")
    layers: tuple[int, ...] = option((36, 36), "sizes of the layers")
    two_words: int = option(0, "a name with a hyphen in texts")


def read(text):
    """A text such as users type as the values it gives."""
    name, given = split_text(text)
    return read_options(Everything, given, name)


def write(**given):
    return join_text("x", Everything, read_options(Everything, given, "x"))


def complaint(*args, **given):
    """What the refusal of a text or of Python values says."""
    with pytest.raises(ArenaError) as refused:
        read(*args) if args else Everything(**given)
    assert "\n" not in str(refused.value)
    return str(refused.value)


# Texts taken apart


@pytest.mark.parametrize(
    ("text", "name", "given"),
    [
        ("minimax", "minimax", {}),
        ("alpha-beta-2:depth=6", "alpha-beta-2", {"depth": "6"}),
        ("a:depth=6,ties=random", "a", {"depth": "6", "ties": "random"}),
        ("a:symmetry=turn,mirror", "a", {"symmetry": "turn,mirror"}),
        ("a:symmetry=turn,mirror,depth=2", "a", {"symmetry": "turn,mirror", "depth": "2"}),
        (
            "a:opponent=(b:depth=2,ties=first),depth=3",
            "a",
            {"opponent": "b:depth=2,ties=first", "depth": "3"},
        ),
        ("a:of=(b:of=(c:k=1,m=2),k=3)", "a", {"of": "b:of=(c:k=1,m=2),k=3"}),
        ("a:pair=(b),(c)", "a", {"pair": "(b),(c)"}),
        ("a:note=x=y", "a", {"note": "x=y"}),
        ("a:note=", "a", {"note": ""}),
        ("a:two-words=1", "a", {"two_words": "1"}),
        (" a: depth = 6 , ties = random ", "a", {"depth": "6", "ties": "random"}),
    ],
)
def test_a_text_comes_apart_into_name_and_options(text, name, given):
    assert split_text(text) == (name, given)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "'' is not a name"),
        ("Minimax", "'Minimax' is not a name"),
        ("two words", "'two words' is not a name"),
        ("under_score", "'under_score' is not a name"),
        (":depth=2", "':depth=2' is not a name"),
        ("-a", "'-a' is not a name"),
        ("a:", "'' is not of the form key=value; write 'name:key=value,key=value'"),
        ("a:depth", "'a:depth' has no value for 'depth'; write 'a:depth=VALUE'"),
        ("a:two-words,depth=2", "has no value for 'two_words'; write 'a:two_words=VALUE'"),
        ("a:=2", "'=2' is not of the form key=value"),
        ("a:2nd=2", "'2nd=2' is not of the form key=value"),
        ("a:,depth=2", "'' is not of the form key=value"),
        ("a:depth=2,depth=3", "sets option 'depth' twice"),
        ("a:two-words=2,two_words=3", "sets option 'two_words' twice"),
        ("a:of=(b:k=1", "has an unmatched bracket"),
        ("a:of=b:k=1)", "has an unmatched bracket"),
        ("a:of=)b(", "has an unmatched bracket"),
    ],
)
def test_a_malformed_text_is_refused_in_one_line(text, says):
    assert says in complaint(text)


# Values


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("depth", "7", 7),
        ("depth", "+7", 7),
        ("depth", "1e1", 10),
        ("depth", "2.0", 2),
        ("rate", "1", 1.0),
        ("rate", ".25", 0.25),
        ("rate", "1e-3", 0.001),
        ("limit", "none", None),
        ("limit", "-5", -5),
        ("fast", "true", True),
        ("fast", "YES", True),
        ("fast", "1", True),
        ("fast", "false", False),
        ("fast", "no", False),
        ("fast", "0", False),
        ("ties", "random", "random"),
        ("sides", "1", 1),
        ("note", "", ""),
        ("note", "1", "1"),
        ("note", "none", "none"),
        ("symmetry", "", ()),
        ("symmetry", "turn", ("turn",)),
        ("symmetry", "turn,mirror", ("turn", "mirror")),
        ("layers", "9", (9,)),
        ("layers", "9,36,9", (9, 36, 9)),
    ],
)
def test_a_value_is_read_by_its_type(name, text, value):
    found = read(f"x:{name}={text}")[name]
    assert found == value
    assert type(found) is type(value)


WHOLE = "takes a whole number from 0 to 10, not"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x:depth=-1", f"option 'depth' of x {WHOLE} '-1'"),
        ("x:depth=11", f"option 'depth' of x {WHOLE} '11'"),
        ("x:depth=2.5", f"option 'depth' of x {WHOLE} '2.5'"),
        ("x:depth=deep", f"option 'depth' of x {WHOLE} 'deep'"),
        ("x:depth=true", f"option 'depth' of x {WHOLE} 'true'"),
        ("x:depth=none", f"option 'depth' of x {WHOLE} 'none'"),
        ("x:depth=", f"option 'depth' of x {WHOLE} ''"),
        ("x:depth=1,2", f"option 'depth' of x {WHOLE} '1,2'"),
        ("x:rate=-.1", "takes a number from 0, not '-.1'"),
        ("x:rate=nan", "takes a number from 0, not 'nan'"),
        ("x:rate=inf", "takes a number from 0, not 'inf'"),
        ("x:limit=101", "takes a whole number or none up to 100, not '101'"),
        ("x:fast=maybe", "takes true | false, not 'maybe'"),
        ("x:ties=last", "takes first | random, not 'last'"),
        ("x:ties=First", "takes first | random, not 'First'"),
        ("x:sides=3", "takes 1 | 2, not '3'"),
        ("x:layers=9,wide", "option 'layers' of x takes a list, each"),
        ("x:dept=2", "x has no option 'dept', did you mean 'depth'?"),
        ("x:qqq=2", "x has no option 'qqq'; known: depth, rate, limit,"),
    ],
)
def test_a_wrong_option_is_refused_with_what_it_takes(text, says):
    assert says in complaint(text)


def test_bounds_are_inclusive():
    assert [read(f"x:depth={n}")["depth"] for n in (0, 10)] == [0, 10]


def test_a_class_without_options_says_so():
    class Bare(Configurable):
        """Nothing to set."""

    with pytest.raises(ArenaError, match=r"^Bare has no option 'depth'; it has none$"):
        Bare(depth=1)


# Keyword arguments


def test_options_become_attributes_with_their_defaults():
    made = Everything(depth="4", symmetry=["turn"], two_words=1)
    assert (made.depth, made.symmetry, made.two_words) == (4, ("turn",), 1)
    assert (made.rate, made.limit, made.fast, made.layers) == (0.5, None, False, (36, 36))


@pytest.mark.parametrize(
    "given", [{"depth": True}, {"rate": True}, {"fast": 1.0}, {"note": 5}, {"ties": None}, {"fast": None}]
)
def test_a_python_value_of_another_type_is_refused(given):
    name, value = next(iter(given.items()))
    assert complaint(**given).startswith(f"option {name!r} of Everything takes ")
    assert complaint(**given).endswith(f", not {str(value)!r}")


@pytest.mark.parametrize("given", [{"depth": None}, {"depth": [1]}, {"depth": 10**400}, {"layers": 5}])
def test_a_python_value_that_cannot_be_converted_is_refused(given):
    assert complaint(**given).startswith("option ")


def test_the_numbers_of_a_list_are_held_to_the_bounds():
    class Layered(Configurable):
        """A list of sizes."""

        layers: tuple[int, ...] = option((36,), "sizes", low=1)

    with pytest.raises(ArenaError):
        Layered(layers=(36, 0))


def test_options_are_inherited_and_may_be_stated_again():
    class Deeper(Everything):
        """Another default, and one option more."""

        depth: int = option(6, "plies")
        width: int = option(1, "moves", low=1)

    assert list(Deeper.options) == [*Everything.options, "width"]
    assert (Deeper().depth, Deeper(depth=20).depth, Everything().depth) == (6, 20, 3)


def test_options_of_all_bases_are_inherited_the_first_bases_last():
    class Narrow(Everything):
        """Another default, and one option more."""

        depth = 6
        width: int = option(1, "moves", low=1)

    class Slow(Everything):
        """One option more."""

        seconds: float = option(1.0, "time")

    class Both(Slow, Narrow):
        """Has these."""

        width = 2

    assert list(Both.options) == [*Everything.options, "width", "seconds"]
    assert (Both().depth, Both().width, Both(width=3, seconds=2).seconds) == (6, 2, 2.0)
    assert Both.options["depth"].default == 6


def test_an_option_needs_an_annotation():
    with pytest.raises(TypeError, match=r"option .depth. of .*Unannotated needs an annotation"):

        class Unannotated(Configurable):
            depth = option(1, "plies")


PLAINLY = 'int, float, bool, str, tuple[int, ...] or Literal["a", "b"]'


@pytest.mark.parametrize(
    ("annotation", "told", "remedy"),
    [
        (list, "list", "tuple[int, ...]"),
        (list[int], "list[int]", "tuple[int, ...]"),
        (tuple, "tuple", "tuple[int, ...]"),
        (dict, "dict", PLAINLY),
        (object | None, "object | None", PLAINLY),
    ],
)
def test_an_option_of_a_type_that_there_is_not_is_told_when_it_is_stated(annotation, told, remedy):
    with pytest.raises(TypeError) as refused:
        type("Of", (Configurable,), {"__annotations__": {"of": annotation}, "of": option(1, "x")})
    assert str(refused.value) == f"option 'of' of Of is of type {told}; write {remedy}"


def test_a_default_that_is_none_of_its_values_is_told_as_the_default():
    class Deep(Configurable):
        """Its default is out of its bounds."""

        depth: int = option(50, "plies", low=0, high=10)

    takes = "option 'depth' of deep takes a whole number from 0 to 10, "
    for depth, says in ((50, "which its default, 50, is not"), (60, "not '60'")):
        with pytest.raises(ArenaError, match=f"^{takes}{says}$"):
            read_options(Deep, {"depth": depth}, "deep")


def test_optional_is_read_like_a_union_with_none():
    class Old(Configurable):
        """The older spelling."""

        depth: Optional[int] = option(None, "plies", low=1)  # noqa: UP045

    assert (Old(depth="none").depth, Old(depth="2").depth) == (None, 2)
    assert Old.options["depth"].describe() == "a whole number or none from 1"


# Canonical texts


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "x"),
        ({"depth": 3, "rate": 0.5, "layers": (36, 36)}, "x"),
        ({"ties": "random", "depth": 4}, "x:depth=4,ties=random"),
        ({"rate": 2.0}, "x:rate=2"),
        ({"rate": 1e-9}, "x:rate=1e-09"),
        ({"limit": 7, "fast": True}, "x:limit=7,fast=true"),
        ({"sides": "1"}, "x:sides=1"),
        ({"note": "a,b"}, "x:note=(a,b)"),
        ({"note": "k=v"}, "x:note=(k=v)"),
        ({"note": ""}, "x:note="),
        ({"symmetry": ("turn", "mirror"), "two_words": 1}, "x:symmetry=turn,mirror,two_words=1"),
        ({"layers": ()}, "x:layers="),
    ],
)
def test_the_canonical_text_names_what_differs_from_the_defaults_in_the_order_stated(given, text):
    assert write(**given) == text
    assert read(text) == read_options(Everything, given, "x")


def test_spellings_of_one_entry_have_one_canonical_text():
    spellings = [
        "x:rate=.25,depth=4",
        "x:depth=4.0,rate=0.25",
        "x: rate=2.5e-1 ,depth=+4,fast=no,note=none yet",
    ]
    assert {write(**read(text)) for text in spellings} == {"x:depth=4,rate=0.25"}


NOTES = st.text("ab 1:-,=é", max_size=12).map(str.strip)
WORDS = st.text("ab1:-", min_size=1, max_size=5)


@given(
    depth=st.integers(0, 10),
    rate=st.floats(0, allow_nan=False, allow_infinity=False),
    limit=st.none() | st.integers(max_value=100),
    fast=st.booleans(),
    ties=st.sampled_from(["first", "random"]),
    sides=st.sampled_from([1, 2]),
    note=NOTES,
    symmetry=st.lists(WORDS, max_size=4).map(tuple),
    layers=st.lists(st.integers(), max_size=4).map(tuple),
)
def test_a_canonical_text_reads_back_to_the_same_values(**given):
    values = read_options(Everything, given, "x")
    assert {name: values[name] for name in given} == given
    text = write(**given)
    assert read(text) == values
    assert write(**read(text)) == text


@given(st.text("a:=,()- 1é\n", max_size=15))
@example("1,:\n1")
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        name, given = split_text(text)
    except ArenaError as error:
        said = str(error)
    else:
        said = name
        assert all(key.isidentifier() for key in given)
    assert "\n" not in said


@pytest.mark.parametrize(
    "given",
    [
        {"note": "(whole)"},
        {"note": " spaced "},
        {"symmetry": ("a,b",)},
        {"symmetry": ("a,b", "c")},
        {"symmetry": ("minimax:depth=2,ties=first", "random")},
        {"symmetry": (" a", "b ")},
    ],
)
def test_texts_with_brackets_and_spaces_read_back(given):
    assert read(write(**given)) == read_options(Everything, given, "x")


def test_half_a_bracket_is_no_value():
    assert complaint(note="(half") == "option 'note' of Everything takes text, not '(half'"


# What users are shown


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("depth", "a whole number from 0 to 10"),
        ("rate", "a number from 0"),
        ("limit", "a whole number or none up to 100"),
        ("fast", "true | false"),
        ("ties", "first | random"),
        ("note", "text"),
        ("symmetry", "a list, each text"),
    ],
)
def test_an_option_says_what_it_takes(name, says):
    assert Everything.options[name].describe() == says


def test_a_subclass_may_set_another_default():
    class Deep(Everything):
        """Searches deeper."""

        depth = 9

    assert Deep.options["depth"].default == 9
    assert list(Deep.options) == list(Everything.options)
    assert join_text("deep", Deep, read_options(Deep, {"depth": "9"}, "deep")) == "deep"
    assert join_text("deep", Deep, read_options(Deep, {"depth": "3"}, "deep")) == "deep:depth=3"


# Options that take the text of another plugin


class Pupil(Configurable):
    """Learns from others."""

    teacher: Spec = option("minimax:ties=random,depth=2", "whom it plays", kind="agent")
    judge: Spec | None = option(None, "who else is asked", kind="agent")
    rivals: tuple[Spec, ...] = option(("random",), "whom it meets", kind="agent")
    lost: Spec = option("random", "never mind", kind="agent")
    rate: float = option(0.5, "step size")


class Astray(Pupil):
    """Its default is not installed."""

    lost = "nobody"


class Circle(Configurable):
    """Stands in itself."""

    of: Spec = option("circle", "itself again", kind="agent")


class Odd(Configurable):
    """Names a kind that is none."""

    of: Spec = option("random", "what", kind="agents")


@pytest.fixture(scope="module")
def nesting():
    """A registry that knows these classes as well."""
    known = Registry()
    own = known.plugins[0]
    for cls in (Pupil, Astray, Circle, Odd):
        known.register(own, "agent", cls.__name__.lower(), f"{__name__}:{cls.__name__}", "")
    return known


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("pupil", "pupil"),
        ("pupil:teacher=random", "pupil:teacher=random"),
        ("pupil:teacher=(minimax:ties=first,depth=2)", "pupil:teacher=(minimax:depth=2,ties=first)"),
        ("pupil:teacher=minimax:depth=2", "pupil"),  # the default, written otherwise
        ("pupil:judge=random,rate=.25", "pupil:judge=random,rate=0.25"),
        ("pupil:judge=none", "pupil"),
        ("pupil:rivals=random", "pupil"),
        (
            "pupil:rivals=first,(minimax:depth=1,ties=first)",
            "pupil:rivals=first,(minimax:depth=1,ties=first)",
        ),
        ("pupil:rivals=((minimax:depth=1))", "pupil:rivals=((minimax:depth=1))"),
        ("pupil:rivals=", "pupil:rivals="),
        ("pupil:teacher=(pupil:teacher=(minimax:depth=3,ties=first),rate=1)",) * 2,
        ("astray:lost=first", "astray:lost=first"),
    ],
)
def test_a_text_within_a_text_has_its_canonical_form_too(nesting, given, canonical):
    assert nesting.spec("agent", given).text == canonical
    assert nesting.spec("agent", canonical) == nesting.spec("agent", given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            "pupil:teacher=randon",
            "option 'teacher' of pupil: no agent called 'randon', did you mean 'random'?",
        ),
        (
            "pupil:teacher=(minimax:depht=2)",
            "option 'teacher' of pupil: minimax has no option 'depht', did you mean 'depth'?",
        ),
        (
            "pupil:rivals=first,minimax:depth=x",
            "option 'depth' of minimax takes a whole number from 0",
        ),
        ("pupil:teacher=Random", "option 'teacher' of pupil: 'Random' is not a name with options"),
        ("pupil:teacher=", "'' is not a name with options"),
        ("pupil:judge=(minimax:ties=last)", "option 'judge' of pupil: option 'ties' of minimax takes first"),
        ("astray", "option 'lost' of astray: no agent called 'nobody'"),
        ("circle", "fix a default that refers to itself"),
        ("circle:of=circle", "fix a default that refers to itself"),
        ("odd", "no kind of plugin called 'agents', did you mean 'agent'?"),
    ],
)
def test_a_wrong_text_within_a_text_is_refused_in_one_line(nesting, given, says):
    with pytest.raises(ArenaError) as refused:
        nesting.spec("agent", given)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_entry_makes_what_its_options_name_where_there_is_no_registry(nesting, monkeypatch):
    spec = pickle.loads(pickle.dumps(nesting.spec("agent", "pupil:judge=(minimax:depth=1)")))
    monkeypatch.setattr("arena.registry.plugins.registry", None)
    pupil = spec.make()
    assert (pupil.name, pupil.rate) == ("pupil:judge=(minimax:depth=1)", 0.5)
    assert [str(rival) for rival in pupil.rivals] == ["random"]
    judge = pupil.judge.make(TicTacToe())
    assert (judge.name, judge.depth, judge.ties) == ("minimax:depth=1", 1, "random")
    parts = [part.text for part in spec.walk() if part.target.endswith((":Minimax", ":Random", ":Pupil"))]
    assert parts == [spec.text, "minimax:depth=2", "minimax:depth=1", "random", "random"]


def test_texts_given_in_python_are_resolved_by_the_registry():
    pupil = Pupil(judge="first", rivals=["random", "minimax:depth=1"])
    assert str(pupil.teacher) == "minimax:depth=2"
    assert str(pupil.judge) == "first"
    assert [str(rival) for rival in pupil.rivals] == ["random", "minimax:depth=1"]
    assert Pupil(judge=pupil.judge).judge is pupil.judge
    with pytest.raises(ArenaError, match=r"^option 'judge' of Pupil takes an agent or none, not '5'$"):
        Pupil(judge=5)
    with pytest.raises(ArenaError, match=r"^option 'note' of Everything takes text, not 'first'$"):
        Everything(note=pupil.judge)


def test_an_option_that_takes_an_entry_says_so():
    assert Pupil.options["teacher"].describe() == "an agent"
    assert Pupil.options["judge"].describe() == "an agent or none"
    assert Pupil.options["rivals"].describe() == "a list, each an agent"


@pytest.mark.parametrize(("annotation", "kind"), [(str, "agent"), (Spec, None), (tuple[Spec, ...], None)])
def test_the_type_spec_and_a_kind_need_each_other(annotation, kind):
    with pytest.raises(TypeError, match=r"option 'of' of .*Lone: annotation Spec and kind= need each other"):
        type(
            "Lone",
            (Configurable,),
            {"__annotations__": {"of": annotation}, "of": option("a", "b", kind=kind)},
        )
