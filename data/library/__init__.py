"""Question sets with their corpora by name: which there are, and how each comes into a folder, whole and checked."""

from .catalogue import KnownSet, known_set, known_sets
from .fetching import fetch_set
from .manifest import SetRecord

__all__ = ["KnownSet", "SetRecord", "fetch_set", "known_set", "known_sets"]
