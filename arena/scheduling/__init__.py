"""Formats: who meets whom."""
