"""`arena merge`: merge databases into one."""
