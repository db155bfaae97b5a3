"""Calls that are made before they are asked for: for searches that wait for one call after the other."""
