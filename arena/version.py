"""The version, which `pyproject.toml` has too."""

__version__ = "0.2.0"
