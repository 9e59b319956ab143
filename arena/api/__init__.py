"""The classes that authors of games, agents and evaluations use; most can be imported from `arena`."""
