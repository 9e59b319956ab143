"""Programs in any language as agents: by arena's own protocol, and by UCI, the protocol of chess engines."""
