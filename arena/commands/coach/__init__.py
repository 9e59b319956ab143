"""`arena coach`: what an entry gave away in its matches, and what it should change."""
