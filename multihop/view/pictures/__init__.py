"""The search for one answer as a picture: a tree of nodes, or rounds one after the other."""

from .choosing import picture_search

__all__ = ["picture_search"]
