"""Language models as agents: queried through a server or a command, with prompts from the game's methods."""
