"""Entries as WebAssembly for web pages: the compiled code of a game and an agent, with its data.

The text that becomes machine code is compiled by LLVM for another target; see `docs/compiler.md`.
"""
