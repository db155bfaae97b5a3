"""The options that say how LMs are reached and what they are told."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

if TYPE_CHECKING:
    from ..opening.lms import LMs


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class LMOptions:
    """Options for all LMs of a command, whichever they are."""

    lms: Path | None = None
    """A TOML file that describes LMs, each under a name to be used wherever an LM is named: model, api_base, key_env
    (the environment variable with the key), temperature and other parameters."""
    api_base: str | None = None
    """Address of an OpenAI-compatible server, for every LM that is not built in and names no server of its own
    (NAME@ADDRESS)."""
    temperature: Annotated[float | None, Parameter(validator=Number(gte=0))] = None
    """The temperature of every LM that is not built in; the same as --lm-set temperature=T."""
    structured: Literal["auto", "schema", "json", "text"] = "auto"
    """The form in which LMs are asked: JSON that they are held to ("schema"), "json", or "text". "auto" takes a schema
    for servers of your own that keep to one."""
    lm_set: Annotated[list[str] | None, Parameter(negative=())] = None
    """A parameter of the LM as name=value, such as temperature=0; may be given more than once."""

    def open(self, *, decoding: Mapping[str, Any] | None = None) -> "LMs":
        """Opens LMs by name, decoding so where no option says otherwise."""
        from ..opening.lms import LMs

        return LMs(
            api_base=self.api_base,
            lm_set=self.lm_set,
            temperature=self.temperature,
            structured=self.structured,
            decoding=decoding,
            file=self.lms,
        )


@dataclass(frozen=True, kw_only=True)
class StepLMOptions(LMOptions):
    """The same, and LMs of single steps."""

    step_lm: Annotated[list[str] | None, Parameter(negative=())] = None
    """Another LM for one step, as step=LM, such as read=openai/gpt-4.1, read=server/qwen3@http://host:8000/v1,
    or read=NAME with a name of --lms; may be given more than once."""
