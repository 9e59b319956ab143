"""`arena season`: a ladder of the players in a folder."""
