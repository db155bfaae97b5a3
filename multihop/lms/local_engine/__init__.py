"""The built-in LM: what it reads with the encoder, and how it fills each field from that."""
