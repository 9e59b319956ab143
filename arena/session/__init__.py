"""What `arena` does, called from Python: a function for each command, of the same name.

`arena` itself gives them: `arena.match`, `arena.tournament`, … The command line parses, calls these, prints.
"""
