"""`arena plugins`: list the plugins that are installed."""
