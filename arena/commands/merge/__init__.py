"""`arena merge`: one database of several."""
