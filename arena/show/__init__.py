"""Display of results: tables, boards, plots, pages, progress, and the terminal."""
