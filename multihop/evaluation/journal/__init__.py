"""The files of a run: its header, and a row for every question."""
