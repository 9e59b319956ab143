"""Where work is done: processes, threads, or here; and who looks after it."""
