"""The version, which is also in `pyproject.toml`."""

__version__ = "0.2.0"
