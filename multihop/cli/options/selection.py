"""The options that choose some of the questions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from .amounts import AtMost

if TYPE_CHECKING:
    from ...data import Selection


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """A choice of the questions."""

    offset: Annotated[int | None, Parameter(validator=Number(gte=0))] = None
    """Pass over so many questions before."""
    sample: AtMost = None
    """Draw so many of the questions, after the offset, by their ids: the same ones on every machine."""
    sample_seed: int | None = None
    """Another seed draws another sample; --seed does not change it."""
    limit: AtMost = None
    """Only the first so many questions."""

    def selection(self) -> "Selection":
        """The same without the limit, with the values that are meant where none are given."""
        from ...data import Selection

        return Selection(self.offset or 0, self.sample, self.sample_seed or 0)
