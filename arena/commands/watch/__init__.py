"""`arena watch`: follow a tournament that another process plays."""
