"""Conversations as training data, and models fine-tuned on them: on this machine, or where they are hosted."""
