"""The file of a saved program, as types that check it: it may come from anywhere, and names models but no address."""

import re
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue

from ..base.files import FileModel

_PART = r"[A-Za-z0-9][\w.+-]*"
_LM_NAME = re.compile(rf"({_PART}|[A-Za-z0-9][\w-]*(/{_PART})+(:[\w.+-]*)*)(@[\w-]+)?", re.ASCII)
PLAIN = re.compile(r"(?!\s*[\\/]{2})([A-Za-z]:[\\/](?![\\/]))?([^:]|:\s)*")


def _plain(value: Any, form: re.Pattern[str] = PLAIN) -> Any:
    if isinstance(value, str) and not form.fullmatch(value):
        raise ValueError("it may be the name of a place")
    for each in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
        _plain(each)
    return value


LMName = Annotated[str, AfterValidator(partial(_plain, form=_LM_NAME))]
"""The name of an LM without its server, such as "openai/gpt-4.1": there is no room for an address in it."""
Plain = AfterValidator(_plain)
"""For values whose texts are words or paths of this machine: no colon joins two words, except behind the letter of a
drive, and there are no two slashes at the beginning."""


class StepState(FileModel):
    """DSPy's own state of a predictor; its LM is never saved."""

    traces: list[JsonValue]
    train: list[JsonValue]
    demos: list[dict[str, JsonValue]]
    signature: dict[str, JsonValue]
    lm: None


class Settings(FileModel, extra="allow"):
    """The program's settings."""

    __pydantic_extra__: dict[str, Annotated[JsonValue, Plain]]
    lms: dict[str, LMName] | None = None
    concurrency: None = None
    """It is of the place where the program runs."""


class TunedModel(FileModel, extra="allow"):
    """A model that was trained on steps: what it is called, and for one trained here what serves it."""

    lm: LMName | None = None
    base: Annotated[str, Plain] | None = None
    folder: Annotated[str, Plain] | None = None
    rank: int = 0


class About(FileModel, extra="allow"):
    """The facts about the program, which are for readers, except the LM that it was compiled for."""

    lm: LMName | None = None
    tuned: TunedModel | None = None


class Block(FileModel):
    """Our part of the file: all that is needed to rebuild the program around DSPy's state."""

    format: Literal[1]
    program: str
    own_class: str | None = Field(None, alias="class")
    """MODULE:CLASS of a user's own program."""
    corpus: Annotated[str, Plain] | None = None
    retriever: str | None = None
    """The fingerprint of the corpus."""
    settings: Settings
    fields: dict[str, dict[Literal["inputs", "outputs"], list[str]]]
    """Of each predictor's signature, in their order."""
    about: About
    versions: dict[str, JsonValue]
    fingerprints: dict[str, JsonValue] = {}
    """Of the places that settings name, such as a folder of weights."""
    tuned_prompts: str | None = None
    """The digest of the prompts that tuned steps learned."""
    digest: str


class Metadata(FileModel, extra="ignore"):
    """The part of the file beside DSPy's states."""

    multihop: Block


class SavedFile(FileModel, extra="allow"):
    """The whole file: a state for each predictor, by its name, and the metadata."""

    __pydantic_extra__: dict[str, StepState]
    metadata: Metadata
