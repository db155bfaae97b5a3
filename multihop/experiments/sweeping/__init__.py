"""Sweeps: a program at many values of its settings, each beside the default."""
