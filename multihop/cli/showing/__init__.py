"""Answers, results, tables and studies as a terminal shows them."""
