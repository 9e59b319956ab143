"""The checks of `.ci/run`, each by itself: `nox -l` lists them, `nox -s lint` runs one.

`.ci/run` decides; it also tries the oldest llvmlite, uv, the package elo, and a few tests of `.ci/nightly`.
A Python that is not on this machine is left out. What follows `--` goes to pytest: `nox -s tests-3.13 --
tests/matches`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

VERSIONS = ["3.11", "3.12", "3.13", "3.14"]
NEWEST = next((v for v in reversed(VERSIONS) if shutil.which(f"python{v}")), VERSIONS[-1])  # on this machine
OWN_DATABASE = {"ARENA_DB": None}  # what is played here goes into no one's database

nox.needs_version = ">=2025.2"
nox.options.sessions = ["lint", "tests"]
nox.options.reuse_venv = "yes"


@nox.session(python=VERSIONS)
def tests(session: nox.Session) -> None:
    """A tournament, and the tests that take no more than seconds."""
    session.install("-e", ".[test]")
    with session.chdir(session.create_tmp()):
        session.run("arena", "tournament", env=OWN_DATABASE)
    session.run("python", "-m", "pytest", *session.posargs, env=OWN_DATABASE)


@nox.session(python=NEWEST)
def slow(session: nox.Session) -> None:
    """The tests that take long."""
    session.install("-e", ".[test,test-slow]")
    session.run("python", "-m", "pytest", "-m", "slow", *session.posargs, env=OWN_DATABASE)


@nox.session(python=NEWEST)
def lint(session: nox.Session) -> None:
    """Style, types, and who may import whom."""
    session.install("-e", ".[test,develop]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("mypy", "--config-file", "benchmarks/mypy.ini")
    session.run("lint-imports")


@nox.session(python=NEWEST)
def wheel(session: nox.Session) -> None:
    """The built wheel, played from another folder."""
    session.install("build")
    made = Path(session.create_tmp()) / "wheel"
    shutil.rmtree(made, ignore_errors=True)
    session.run("python", "-m", "build", "--wheel", "--outdir", str(made), ".", silent=True)
    session.install("--force-reinstall", *map(str, made.glob("*.whl")))
    with session.chdir(made):
        session.run("arena", "tournament", env=OWN_DATABASE)
        session.run("arena", "leaderboard", "--html", "page.html", env=OWN_DATABASE)


@nox.session(python=NEWEST)
def docs(session: nox.Session) -> None:
    """The documents as a site, in `build/site`; a link that leads nowhere is an error."""
    session.install("-e", ".[docs]")
    session.run("python", "docs/build_site.py")


@nox.session(python=NEWEST)
def coverage(session: nox.Session) -> None:
    """Which lines the tests reach; `.ci/run` has no such step."""
    session.install("-e", ".[test,develop]")
    session.run("python", "-m", "pytest", "--cov", *session.posargs, env=OWN_DATABASE)
