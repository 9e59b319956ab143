"""`arena openings`: find balanced openings."""
