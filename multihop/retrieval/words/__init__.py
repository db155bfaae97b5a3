"""Counts and postings of words, and the search over them."""
