"""`arena explain`: an agent's views of its moves."""
