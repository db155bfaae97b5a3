from .little import SPLITS as SPLITS
from .little import Little as Little
