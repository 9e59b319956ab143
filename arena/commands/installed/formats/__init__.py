"""`arena formats`: list the formats that are installed."""
