"""A function of an author's as LLVM's text: one class, a part in each file."""
