"""Matches: who meets whom, how one is played, and blocks of them in workers."""
