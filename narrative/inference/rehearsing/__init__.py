"""How the embedded narrator composes: plain text code over the chat messages it is sent."""
