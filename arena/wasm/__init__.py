"""Entries as WebAssembly: the compiled code of a game and an agent, with its data, for web pages.

The same texts that become machine code are given to LLVM for another processor. `docs/compiler.md` says how.
"""
