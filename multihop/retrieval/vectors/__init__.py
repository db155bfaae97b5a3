"""Vectors in a file, and the search for the nearest."""
