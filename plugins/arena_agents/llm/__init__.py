"""Language models as agents: asked through a server or a command, in words made of the game's own methods."""
