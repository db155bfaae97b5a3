"""Saved programs pushed to a place where others find them, and pulled from there."""
