"""Behaviour cloning: what a program decided at its best, or what gold says is right, as lessons for its steps."""
