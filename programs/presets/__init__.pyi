from .preset import Preset as Preset
from .preset import PresetValue as PresetValue
from .preset import ProgramPreset as ProgramPreset
from .reading import method_preset as method_preset
from .reading import open_preset as open_preset
from .reading import preset_for as preset_for
from .reading import preset_names as preset_names
from .reading import presets_with as presets_with
