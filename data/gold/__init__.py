"""Gold read once: the hops of every set's questions, each with the sentence that holds its answer."""

from .path import GoldHop, GoldPath
from .reading import GoldReading, Unread, read_gold

__all__ = ["GoldHop", "GoldPath", "GoldReading", "Unread", "read_gold"]
