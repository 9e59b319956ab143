"""`arena games`, `agents`, `evaluations`, `formats`, `plugins`: what is installed."""
