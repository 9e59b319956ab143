"""Export of agents as WebAssembly for web pages: the compiled code of a game and an agent, and its data.

The LLVM assembly is the same as for machine code, with another target; see `docs/compiler.md`.
"""
