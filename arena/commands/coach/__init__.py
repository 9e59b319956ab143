"""`arena coach`: find out why an entry lost and what to improve."""
