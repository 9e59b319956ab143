"""`arena check`: check that a game or an agent fulfils the API contract."""
