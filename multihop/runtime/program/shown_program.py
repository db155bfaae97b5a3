"""A program in print, and in a notebook."""

from typing import Any

from ...base.notebooks import ShownInNotebooks


class ShownProgram(ShownInNotebooks):
    """Prints a program as its settings, in the place of all its prompts.

    Examples:
        >>> from multihop.programs import Direct
        >>> Direct(retries=3)
        Direct(retries=3)
    """

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by its name."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The class with the settings that are not as they are by default."""
        from .settings import settings_of

        usual = {name: setting.default for name, setting in settings_of(type(self)).items()}
        shown = [f"{name}={value!r}" for name, value in self.settings.items() if value != usual.get(name)]
        return f"{type(self).__name__}({', '.join(shown)})"
