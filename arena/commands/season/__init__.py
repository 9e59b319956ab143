"""`arena season`: a standing ladder of the players in a folder."""
