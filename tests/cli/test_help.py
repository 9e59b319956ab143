"""Help in sections and groups, in which plugins' commands take part."""

from __future__ import annotations

import pytest

from commands import arena

COUNTING = """
import click
from arena import hookimpl
from arena.cli.help import Command, option_group

@click.command(cls=Command, page="README.md", renamed={"--sum": "--total"})
@click.option("--from", "start", metavar="N", default=1, help="The first number.")
@option_group("Output", click.option("--json", is_flag=True, help="Write JSON."))
@option_group("Counting", click.option("--total", is_flag=True, help="Add them up."))
def count(start, json, total):
    '''Count.

    \\b
    Example:
      arena count

    It counts as people do.
    '''
    click.echo(f"from {start}, {total}")

@hookimpl
def register_commands(register):
    register("count", "counting:count", "Count to ten.", section="Analyse")
    register("wait", "counting:count", "Wait.")
    register("sing", "counting:count", "Sing.", section="Music")
    register("bad", "counting:count", "Nothing.", section=3)
"""


@pytest.fixture
def env(plugin):
    return plugin(counting=COUNTING)


def test_a_plugins_command_is_in_the_section_that_it_names(tmp_path, env):
    done = arena(tmp_path, "--help", **env)
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert "count" in lines["Analyse"]
    assert lines["Plugins"] == ["wait", "sing"]
    assert "command 'bad': section 3 is not a text" in done.stderr
    assert "  count     Count to ten." in arena(tmp_path, "help", "--all", **env).stdout


def test_its_options_are_in_groups_and_details_follow_them(tmp_path, env):
    text = arena(tmp_path, "count", "--help", **env).stdout
    parts = ["Count.", "Example:", "Options:", "--from N", "Counting:", "--total", "Output:", "--json"]
    parts += ["Details:", "It counts as people do.", "Documentation: README.md"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_an_option_that_was_renamed_works_and_one_line_says_so(tmp_path, env):
    done = arena(tmp_path, "count", "--sum", "--from=3", **env)
    assert done.stdout == "from 3, True\n"
    assert "Warning: --sum is now called --total\n" in done.stderr
    assert "--sum" not in arena(tmp_path, "count", "--help", **env).stdout


def test_what_follows_two_hyphens_is_not_renamed(tmp_path, env):
    done = arena(tmp_path, "count", "--", "--sum", status=2, **env)
    assert "is called" not in done.stderr
