"""Compilation of a function to LLVM assembly by an emitter and by lowerings, which are grouped by module."""
