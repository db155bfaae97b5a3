from .path import GoldHop as GoldHop
from .path import GoldPath as GoldPath
from .reading import GoldReading as GoldReading
from .reading import Unread as Unread
from .reading import read_gold as read_gold
