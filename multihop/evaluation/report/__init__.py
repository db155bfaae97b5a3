"""Summaries of a run, and the statistics in them."""
