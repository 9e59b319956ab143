"""`arena explain`: an agent's ratings of its moves."""
