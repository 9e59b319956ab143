"""Entries as WebAssembly for web pages: the compiled code of a game and an agent, with its data.

LLVM compiles the same intermediate code as for machine code for another target; see `docs/compiler.md`.
"""
