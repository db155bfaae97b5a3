"""Files that are read back: each is one pydantic model, and what does not fit it is one `DamagedFileError`."""

import math
import os
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from .errors import DamagedFileError

_T = TypeVar("_T")


class FileModel(BaseModel):
    """The content of a file: no other names than its fields, and no number that is not finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _finite(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers are finite")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _finite(each)
    return value


FiniteJson = Annotated[JsonValue, AfterValidator(_finite)]
"""Any JSON value without NaN and infinities, for fields whose content is somebody else's."""


def parsed(kind: type[_T], content: bytes | str, path: str | os.PathLike[str], what: str) -> _T:
    """The JSON of a file as the type that it should have; `what` is the file in words, for a refusal."""
    try:
        found: _T = _adapter(kind).validate_json(content)  # type: ignore[arg-type]
        return found
    except ValidationError as error:
        raise DamagedFileError(f"{os.fspath(path)} is damaged, or is not {what}: {misfit(error)}.") from None


def misfit(error: ValidationError) -> str:
    """The first problem that pydantic found, after the name of the field that has it."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))[:80]
    says = first["msg"].removeprefix("Value error, ")
    says = f"{says[:1].lower()}{says[1:]}"
    return f"{place}: {says}"[:200] if place else says[:200]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
