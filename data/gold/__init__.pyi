from .hops import GoldHop as GoldHop
from .hops import GoldPath as GoldPath
from .reading import GoldReading as GoldReading
from .reading import Unread as Unread
from .reading import read_gold as read_gold
