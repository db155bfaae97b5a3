from .methods import *  # noqa: F403
from .presets import Preset as Preset
from .presets import open_preset as open_preset
from .presets import preset_names as preset_names
from .registry import PROGRAMS as PROGRAMS
from .registry import create as create
from .registry import program_named as program_named
from .shared.follow_up import FollowUp as FollowUp
from .shared.follow_up import Turn as Turn
