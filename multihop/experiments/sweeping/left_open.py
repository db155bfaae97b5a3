"""The values that a sweep goes over where none are given: those that a paper leaves open."""

from ...base import InputError
from ...programs.presets import ProgramPreset, preset_for, presets_with

SUCH_AS = "say what to sweep, such as --over k=3,5,10."


def preset_to_sweep(program: str, name: str | None = None) -> tuple[str, ProgramPreset]:
    """The preset whose open values are swept, and its part about the program.

    Args:
        program: The program's name.
        name: The preset's name; by default the first that has the program.

    Raises:
        InputError: No preset has the program, or the paper leaves nothing open for which a range is known.

    Examples:
        >>> from multihop.experiments.sweeping.left_open import preset_to_sweep
        >>> name, part = preset_to_sweep("mzqa")
        >>> name, part.left_open()
        ('mzqa/paper', {'exploration': (0.5, 1.0, 2.0)})
    """
    if name is None:
        name = next(iter(presets_with(program)), None)
    if name is None:
        raise InputError(f"no paper's preset has '{program}'; {SUCH_AS}")
    part = preset_for(name, program)
    if not part.left_open():
        raise InputError(f"'{name}' leaves nothing of '{program}' open for which a range is known; {SUCH_AS}")
    return name, part
