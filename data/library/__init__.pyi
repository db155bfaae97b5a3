from .catalogue import KnownSet as KnownSet
from .catalogue import known_set as known_set
from .catalogue import known_sets as known_sets
from .fetching import fetch_set as fetch_set
from .manifest import SetRecord as SetRecord
