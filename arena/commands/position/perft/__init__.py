"""`arena perft`: count lines of play by depth."""
