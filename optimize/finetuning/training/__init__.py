"""Training a causal language model on conversations, on this machine: with the extra [train]."""
