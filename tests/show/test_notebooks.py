"""The notebooks of examples run from top to bottom, and their cells show what they should."""

from __future__ import annotations

import base64
import re

import pytest

from paths import ROOT

FOLDER = ROOT / "examples" / "notebook"
NEEDED = ("nbclient", "nbformat", "ipykernel", "pandas", "matplotlib")


@pytest.fixture
def outputs(tmp_path):
    """Run a notebook of examples; return the data of each cell's outputs, by kind of data."""
    for name in NEEDED:
        pytest.importorskip(name, reason="needs: pip install -e '.[test-slow]'")
    import nbformat
    from nbclient import NotebookClient

    def run(name):
        notebook = nbformat.read(FOLDER / f"{name}.ipynb", 4)
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert not [output for cell in cells for output in cell.outputs if output.get("name") == "stderr"]
        return [[output for output in cell.outputs if "data" in output] for cell in cells]

    return run


def results(cell):
    """Return the data of a cell's last expression."""
    (found,) = [output["data"] for output in cell if output["output_type"] == "execute_result"]
    return found


def pictures(cell):
    """Return the figures of matplotlib that a cell shows."""
    return [output["data"]["image/png"] for output in cell if "image/png" in output["data"]]


@pytest.mark.slow
def test_boards_are_drawn(outputs):
    """HTML wins over SVG in Jupyter, so it has the drawing, too."""
    first, second, solved, plotted = outputs("boards")
    for cell, pieces in ((first, 3), (second, 24), (solved, 4)):
        html = results(cell)["text/html"]
        (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', html)
        assert base64.b64decode(data).decode().count('class="piece"') == pieces
        assert "<pre>" not in html
    assert results(first)["image/svg+xml"].count('class="piece"') == 3
    assert len(pictures(plotted)) == 1


@pytest.mark.slow
def test_replays_are_documents_to_step_through(outputs):
    first, second, frame, played = outputs("replays")
    for cell in (first, second, played):
        html = results(cell)["text/html"]
        assert html.startswith("<iframe title=") or (cell is played and html.count("<iframe title=") == 1)
        assert "://" not in html.replace("http://www.w3.org/2000/svg", "")
    for cell in (first, second):
        assert results(cell)["image/svg+xml"].startswith("<svg")
    assert "<table>" in results(played)["text/html"]
    assert "dataframe" in results(frame)["text/html"]


@pytest.mark.slow
def test_tables_are_frames(outputs):
    shown, board, pairings, _, exact = outputs("tables")
    assert "<table>" in results(shown)["text/html"]
    for cell, column in ((board, "rating_elo"), (pairings, "score_low"), (exact, "win_probability")):
        assert f"<th>{column}</th>" in results(cell)["text/html"]


@pytest.mark.slow
def test_figures_are_pictures(outputs):
    cells = outputs("figures")
    assert [len(pictures(cell)) for cell in cells] == [1] * 7


@pytest.mark.slow
def test_a_bar_becomes_a_line_and_none_is_shown_if_asked_for(outputs):
    shown, quiet = outputs("progress")
    (bar,) = [output["data"] for output in shown if output["output_type"] == "display_data"]
    assert re.fullmatch(
        r"alpha-beta:depth=8 v alpha-beta:depth=7: 20 matches in .*, .* matches/s", bar["text/plain"]
    )
    assert "<progress" not in bar["text/html"]
    assert [output["output_type"] for output in quiet] == ["execute_result"]
