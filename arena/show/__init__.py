"""Show results: tables, boards, plots, pages, progress, and the terminal."""
