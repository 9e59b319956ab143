"""The registry of installed plugins, and the loading of agents and games from files and from classes."""
