"""The classes for authors of games, agents and evaluations; most can be imported from `arena`."""
