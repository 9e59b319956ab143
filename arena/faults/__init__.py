"""Check rules, find out whose code failed, and show where."""
