"""Programs in any language as agents: by a protocol of arena's own, and by that of chess engines, UCI."""
