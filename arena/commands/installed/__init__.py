"""`arena games`, `agents`, `evaluations`, `formats`, `plugins`: lists of installed plugins."""
