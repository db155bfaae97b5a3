"""The base class of every method: its settings, its record, its answer."""
