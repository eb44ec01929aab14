"""The authoritative state: what is true in a story, and the typed events that alone change it. Pure."""
