"""The compilation of a function to LLVM assembly by an emitter and lowerings, one group in each file."""
