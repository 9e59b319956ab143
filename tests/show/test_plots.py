"""Learning curves: from CSV files to plots on a page, and what is taught and tried for them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from arena.errors import ArenaError
from arena.results.curve_row import Row
from arena.show.curve import plots, read
from arena.training import curve
from commands import arena

HEADER = "entry,game,seed,episodes,opponent,seat,wins,draws,losses,score"


def row(episodes, wins, *, entry="q", game="nim", seed=0, opponent="random", seat=1):
    """A line of a file: of 10 matches so many won, the others lost."""
    texts = ['"' + text.replace('"', '""') + '"' for text in (entry, opponent)]
    return f"{texts[0]},{game},{seed},{episodes},{texts[1]},{seat},{wins},0,{10 - wins},{wins / 10}"


@pytest.fixture
def write(tmp_path):
    def to(*rows, name="curve.csv"):
        path = tmp_path / name
        path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
        return str(path)

    return to


@pytest.fixture
def draw(write):
    """The plots of these lines."""
    return lambda *rows: plots(read([write(*rows)]))


def points(element):
    return [tuple(map(float, pair.split(","))) for pair in element.get("points").split()]


def panels(plot):
    return ET.fromstring(plot.svg).findall("g[@class='panel']")


def means(plot):
    """The lines of the first panel, as points from the panel's top left."""
    return [points(line) for line in panels(plot)[0].findall("polyline[@class='mean']")]


def labels(plot, kind):
    """The texts of the first panel's `x` or `y` axis, with where they are."""
    return {text.text: float(text.get(kind)) for text in panels(plot)[0].findall(f"text[@class='{kind}']")}


# A panel is 380 wide and 240 high; y is counted from above.


def test_points_lie_where_their_numbers_say(draw):
    [plot] = draw(row(0, 5), row(500, 6), row(1000, 10), row(2000, 0))
    assert means(plot) == [[(0, 120), (95, 96), (190, 0), (380, 240)]]
    assert labels(plot, "x") == {"0": 0, "500": 95, "1k": 190, "1.5k": 285, "2k": 380}
    assert list(labels(plot, "y")) == ["0 %", "25 %", "50 %", "75 %", "100 %"]


def test_what_a_training_writes_can_be_plotted(tmp_path):
    path = str(tmp_path / "curve.csv")
    numbers = {0: (1, 1, 1), 10: (2, 1, 0)}  # 1/2 and 5/6
    curve.write(
        [Row("q", "nim", 0, n, "random", 1, w, d, b, (w + d / 2) / 3) for n, (w, d, b) in numbers.items()],
        path,
    )
    [plot] = plots(read([path]))
    assert means(plot) == [[(0, 120), (380, 40)]]


def test_the_order_of_lines_in_the_file_is_no_matter(draw):
    [plot] = draw(row(2000, 0), row(0, 5), row(1000, 10))
    assert means(plot) == [[(0, 120), (190, 0), (380, 240)]]


def test_draws_count_half(draw):
    [plot] = draw("q,nim,0,0,random,1,2,6,2,0.5", "q,nim,0,10,random,1,1,1,2,0.375")
    assert means(plot) == [[(0, 120), (380, 150)]]


def test_the_line_is_the_mean_of_seeds_and_the_band_their_least_and_most(draw):
    scores = {0: (2, 3, 7), 10: (9, 9, 3)}
    [plot] = draw(*(row(n, wins, seed=seed) for n, each in scores.items() for seed, wins in enumerate(each)))
    assert means(plot) == [[(0, 144), (380, 72)]]  # 40 %, 70 %
    [band] = panels(plot)[0].findall("polygon[@class='band']")
    assert points(band) == [(0, 72), (380, 24), (380, 168), (0, 192)]  # 70 %, 90 %, 30 %, 20 %
    assert "Mean of 3 seeds, with a band from the lowest to the highest; 10 matches" in plot.caption


def test_one_seed_has_no_band(draw):
    [plot] = draw(row(0, 5), row(10, 6))
    assert "<polygon" not in plot.svg
    titles = [title.text for title in panels(plot)[0].findall("path[@class='mark']/title")]
    assert sorted(titles) == ["random: 50.0 % at 0 episodes", "random: 60.0 % at 10 episodes"]
    assert plot.caption == "One seed; 10 matches per point."


def test_a_factor_of_twenty_is_linear_and_more_is_logarithmic(draw):
    [linear] = draw(row(50, 1), row(525, 1), row(1000, 1))
    assert means(linear) == [[(0, 216), (190, 216), (380, 216)]]
    assert "log" not in "".join(ET.fromstring(linear.svg).itertext())
    [logarithmic] = draw(row(10, 1), row(100, 1), row(1000, 1))
    assert means(logarithmic) == [[(0, 216), (190, 216), (380, 216)]]
    assert "Episodes learned, log scale" in logarithmic.svg
    assert set(labels(logarithmic, "x")) == {"10", "100", "1k"}


def test_zero_episodes_stand_apart_on_a_logarithmic_axis(draw):
    [plot] = draw(row(0, 0), row(100, 1), row(1000, 2), row(10000, 3))
    assert means(plot) == [[(0, 240), (36, 216), (208, 192), (380, 168)]]  # 36 + 344/2 = 208
    assert labels(plot, "x") == {"0": 0, "100": 36, "1k": 208, "10k": 380}
    axis = panels(plot)[0].find("path[@class='axis']").get("d")
    assert axis.startswith("M0 240H15m6 0H380")  # a gap from 15 to 21


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((0, 1), "0 1"),
        ((0, 0), "0 1"),
        ((700, 700), "0 200 400 600"),
        ((1000, 10_000), "2k 4k 6k 8k 10k"),
        ((200, 5000), "200 500 1k 2k 5k"),
        ((3000, 80_000), "5k 10k 20k 50k"),
        ((1, 1_000_000), "1 100 10k 1M"),
        ((1, 2**63 - 1), "1 10k 100M 1T 10P"),
        ((1_000_000, 2_500_000), "1M 1.5M 2M 2.5M"),
        ((12_340, 12_344), "12,340 12,341 12,342 12,343 12,344"),
    ],
)
def test_labels_are_round_numbers(draw, ends, expected):
    [plot] = draw(*(row(n, 1) for n in sorted(set(ends))))
    assert " ".join(labels(plot, "x")) == expected


@pytest.mark.parametrize("high", [1, 7, 19, 20, 21, 99, 1234, 65_536, 10**7, 10**12, 2**63 - 1])
@pytest.mark.parametrize("low", [0, 1, 3, 450])
def test_no_label_is_over_another(draw, low, high):
    [plot] = draw(*(row(n, 1) for n in sorted({low, low or 1, min(low + high, 2**63 - 1)})))
    along = [(x, 7.3 * len(text)) for text, x in labels(plot, "x").items()]  # 12 pixels high
    assert len(along) >= 2
    assert all(b - a > (one + two) / 2 for (a, one), (b, two) in pairwise(along))


def test_first_and_second_player_have_panels_of_their_own(draw):
    [plot] = draw(row(0, 5), row(10, 6), row(0, 1, seat=2), row(10, 2, seat=2))
    first, second = panels(plot)
    left, right = (float(re.search(r"\(([\d.]+) ", panel.get("transform"))[1]) for panel in (first, second))
    assert left + 380 < right <= float(ET.fromstring(plot.svg).get("width")) - 380
    assert points(first.find("polyline")) == [(0, 120), (380, 96)]
    assert points(second.find("polyline")) == [(0, 216), (380, 192)]
    assert [panel.find("text[@class='seat']").text for panel in (first, second)] == [
        "Score as first player",
        "Score as second player",
    ]


def test_one_learner_has_a_line_for_each_opponent(draw):
    [plot] = draw(row(0, 5), row(10, 6), row(0, 1, opponent="minimax"), row(10, 2, opponent="minimax"))
    assert plot.heading == "q at nim"
    assert means(plot) == [[(0, 120), (380, 96)], [(0, 216), (380, 192)]]
    names = [text.text for text in ET.fromstring(plot.svg).findall(".//text[@class='name']")]
    assert names == ["random", "minimax"]


def test_several_learners_of_a_game_meet_in_a_plot_for_each_opponent_on_one_axis(draw):
    double = [row(0, 1, entry="double"), row(20, 2, entry="double")]
    against = [row(0, 3, opponent="minimax"), row(10, 4, opponent="minimax")]
    drawn = draw(row(0, 5), row(10, 6), *double, *against, row(3, 1, game="chess"))
    assert [plot.heading for plot in drawn] == ["nim against random", "nim against minimax", "q at chess"]
    assert means(drawn[0]) == [[(0, 120), (190, 96)], [(0, 216), (380, 192)]]
    assert means(drawn[1]) == [[(0, 168), (190, 144)]]


def test_a_learner_looks_the_same_in_all_plots(draw):
    entries = ["a", "b"]
    drawn = draw(*(row(0, 5, entry=entry) for entry in entries), row(0, 5, entry="b", opponent="minimax"))
    strokes = [[line.get("stroke") for line in panels(plot)[0].findall("polyline")] for plot in drawn]
    [[a, b], [same]] = strokes
    assert a != b == same


def test_twenty_opponents_look_different_and_the_legend_names_them_in_order(draw):
    opponents = [f"minimax:depth={n}" for n in range(20)]
    [plot] = draw(*(row(n, 5, opponent=opponent) for opponent in opponents for n in (0, 10)))
    root = ET.fromstring(plot.svg)
    legend = root.find("g[@class='legend']")
    assert [text.text for text in legend.findall(".//text[@class='name']")] == opponents
    looks = {(mark.get("d"), mark.get("fill")) for mark in legend.findall(".//path[@class='mark']")}
    assert len(looks) == 20
    spots = {(text.get("x"), text.get("y")) for text in legend.findall(".//text[@class='name']")}
    assert len(spots) == 20


def luminance(colour):
    """Of a colour #rrggbb, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_have_the_contrast_that_graphics_need_on_white_and_on_dark(draw):
    [plot] = draw(*(row(n, 5, opponent=str(opponent)) for opponent in range(5) for n in (0, 10)))
    colours = {line.get("stroke") for line in panels(plot)[0].findall("polyline")}
    assert len(colours) == 5
    for colour in colours - {"currentColor"}:
        assert 1.05 / (luminance(colour) + 0.05) >= 3
        assert (luminance(colour) + 0.05) / (luminance("#1e1e1e") + 0.05) >= 3


LONG = "q-table:" + ",".join(f"option{n}=(minimax:depth={n},ties=first)" for n in range(12))


@pytest.mark.parametrize("name", ["<b>&\"'</b>", "]]>", LONG, "x" * 500, "棋" * 100])
def test_odd_and_long_names_stay_themselves_and_inside_the_drawing(draw, name):
    [plot] = draw(row(0, 5, entry=name, opponent=name), row(10, 6, entry=name, opponent=name))
    root = ET.fromstring(plot.svg)
    assert name in root.find("title").text
    assert name in root.find("desc").text
    parts = root.findall("g[@class='legend']//text[@class='name']")
    assert "".join(part.text for part in parts) == name
    for part in parts:
        wide = sum(2 if character == "棋" else 1 for character in part.text)
        assert 52 + float(part.get("x")) + 7.23 * wide <= float(root.get("width"))  # 0.602 em, DejaVu's
    heights = [float(part.get("y")) for part in parts]
    assert all(b - a >= 15 for a, b in pairwise(heights))
    assert 30 + 240 + max(heights) < float(root.get("height"))


def test_long_names_break_after_commas(draw):
    [plot] = draw(row(0, 5, opponent=LONG))
    parts = [text.text for text in ET.fromstring(plot.svg).findall(".//text[@class='name']")]
    assert len(parts) > 5
    assert all(part.endswith(",") for part in parts[:-1])


def test_the_numbers_are_there_in_words(draw):
    [plot] = draw(*(row(n, wins, seed=seed) for n in (0, 5, 10_000) for seed, wins in enumerate((4, 5))))
    root = ET.fromstring(plot.svg)
    assert root.get("role") == "img"
    assert root.find("title").text == "Learning curve: q at nim"
    assert (
        root.find("desc").text == "random, as first player: 45.0 % at 0 episodes, 45.0 % at 10,000 episodes."
    )
    titles = [title.text for title in panels(plot)[0].findall("path[@class='mark']/title")]
    assert "random: 45.0 % at 5 episodes, 2 seeds from 40.0 % to 50.0 %" in titles


def test_marks_keep_their_distance_and_the_last_point_has_one(draw):
    [plot] = draw(*(row(n, 5) for n in range(1000, 2001)))
    assert len(means(plot)[0]) == 1001
    marks = panels(plot)[0].findall("path[@class='mark']")
    places = sorted(float(re.match(r"translate\(([\d.]+),", mark.get("transform"))[1]) for mark in marks)
    assert places[-1] == 380
    assert len(places) > 20
    assert all(b - a >= 8 for a, b in pairwise(places))


def test_files_add_up_and_what_stands_in_two_counts_once(write):
    one = write(row(0, 2, seed=1), row(10, 4, seed=1), name="one.csv")
    two = write(row(0, 4, seed=2), row(10, 4, seed=1), name="two.csv")
    [plot] = plots(read([one, two]))
    assert means(plot) == [[(0, 168), (380, 144)]]
    assert "Mean of 1 to 2 seeds" in plot.caption


def test_files_that_contradict_each_other_are_refused(write):
    one, two = write(row(0, 2), name="one.csv"), write(row(5, 2), row(0, 3), name="two.csv")
    with pytest.raises(ArenaError, match=r"two\.csv line 3 contradicts .*one\.csv line 2"):
        read([one, two])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q,nim,0,0,random,1,5,0,5", "line 3 has 9 values, not 10"),
        ("q,nim,0,0,random,1,5,0,5,0.5,", "line 3 has 11 values, not 10"),
        (",nim,0,0,random,1,5,0,5,0.5", "line 3: entry is '', not a name"),
        ("q,n\x01m,0,0,random,1,5,0,5,0.5", "line 3: game is 'n\\x01m', not a name"),
        ("q,nim,zero,0,random,1,5,0,5,0.5", "line 3: seed is 'zero', not a whole number"),
        ("q,nim,0,-1,random,1,5,0,5,0.5", "line 3: episodes is '-1', not a whole number"),
        ("q,nim,0,1e3,random,1,5,0,5,0.5", "line 3: episodes is '1e3', not a whole number"),
        (f"q,nim,0,{2**63},random,1,5,0,5,0.5", "line 3: episodes is '9223372036854775808', not"),
        ("q,nim,0,0,random,3,5,0,5,0.5", "line 3: seat is 3, not 1 or 2"),
        ("q,nim,0,0,random,1,0,0,0,0", "line 3 has no matches"),
        ("q,nim,0,0,random,1,5,2,3,0.5", "line 3: score is '0.5', but (wins + draws/2)/matches is 0.6"),
        ("q,nim,0,0,random,1,5,0,5,nan", "line 3: score is 'nan', but"),
        ("q,nim,0,0,random,1,5,0,5,half", "line 3: score is 'half', but"),
        ('q,nim,0,0,"random"x,1,5,0,5,0.5', "line 3 is not CSV: "),
    ],
)
def test_a_bad_line_is_told_in_one(write, line, said):
    path = write(row(10, 5), line)
    with pytest.raises(ArenaError) as caught:
        read([path])
    assert str(caught.value).startswith(f"{path} {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "curve.csv is not a learning curve; its first line must be entry,game,seed,"),
        (b"game,rank,entry\n", "curve.csv is not a learning curve"),
        (HEADER.encode() + b"\n", "curve.csv has no results"),
        (HEADER.encode() + b"\n\xff\n", "curve.csv is not UTF-8 text"),
    ],
)
def test_a_file_of_something_else_is_told(tmp_path, content, said):
    path = tmp_path / "curve.csv"
    path.write_bytes(content)
    with pytest.raises(ArenaError) as caught:
        read([str(path)])
    assert said in str(caught.value)


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(tmp_path):
    path = tmp_path / "curve.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\n{row(10, 5)}\r\n\r\n".encode())
    assert [result.score for result in read([str(path)])] == [0.5]


def test_lines_of_several_codes_are_told_below_the_plot(tmp_path):
    lines = [row(10, 5) + ",3f2a9900", row(100, 6) + ",8b00aa11"]
    (tmp_path / "one.csv").write_text("\n".join([HEADER + ",code", lines[0]]) + "\n")
    (tmp_path / "two.csv").write_text("\n".join([HEADER + ",code", *lines]) + "\n")
    told = " q against random is of several codes: 3f2a, 8b00."
    (plot,) = plots(read([str(tmp_path / "one.csv")]))
    assert told not in plot.caption
    (plot,) = plots(read([str(tmp_path / "two.csv")]))
    assert plot.caption.endswith(told)


# --- the command ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_page_has_the_plots_below_the_leaderboards_and_needs_nothing_else(tmp_path, write):
    write(row(0, 5, entry="<b>&"), row(10, 6, entry="<b>&"))
    (tmp_path / "two.toml").write_text('game = "tic-tac-toe"\nentries = ["random", "first"]\nrounds = 1\n')
    arena(tmp_path, "tournament", "two.toml")
    options = ["--html", "page.html", "--curve", "curve.csv"]
    assert arena(tmp_path, "leaderboard", *options).stdout == ""
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.index("</table>") < page.index("<h3>&lt;b&gt;&amp; at nim</h3>") < page.index("<polyline")
    assert "One seed; 10 matches per point." in page
    assert set(re.findall(r"https?://[^\s\"'<]*", page)) == {"http://www.w3.org/2000/svg"}  # a name
    arena(tmp_path, "leaderboard", "nim", *options)
    assert "<table" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    arena(tmp_path, "leaderboard", "tic-tac-toe", *options)
    assert "<polyline" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    said = arena(tmp_path, "leaderboard", "chess", *options, status=1).stderr
    assert said == "Error: arena.db holds no tournament of 'chess'; it has: tic-tac-toe, nim\n"


@pytest.mark.slow
def test_curves_alone_make_a_page_where_there_is_no_database(tmp_path, write):
    write(row(0, 5), name="one.csv")
    write(row(0, 6, entry="double"), name="two.csv")
    arena(tmp_path, "leaderboard", "--html", "page.html", "--curve", "one.csv", "--curve", "two.csv")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>Learning curves</title>" in page
    assert "<h2>nim against random</h2>" in page
    assert not (tmp_path / "arena.db").exists()


@pytest.mark.parametrize(
    ("options", "said", "status"),
    [
        ("--curve curve.csv", "--curve needs --html", 2),
        ("--html page.html --curve none.csv", "Error: cannot read none.csv: No such file or directory\n", 1),
        ("--html page.html --curve curve.csv --db none.db", "there is no database none.db", 1),
        ("--html page.html --curve curve.csv --tournament 1", "there is no database arena.db", 1),
    ],
)
def test_what_cannot_be_is_told_in_one_line(tmp_path, write, options, said, status):
    write(row(0, 5))
    done = arena(tmp_path, "leaderboard", *options.split(), status=status)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "page.html").exists()
