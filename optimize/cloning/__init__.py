"""Behaviour cloning: a program's best decisions as training data, and models fine-tuned on them."""
