"""`arena tournaments`: list, show, export and remove recorded tournaments."""
