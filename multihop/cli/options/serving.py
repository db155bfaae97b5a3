"""The options of a server's address, and of the programs that `multihop serve` and `multihop mcp` answer with."""

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ...base import InputError, missing_extra
from ..opening.inputs import Inputs, tell_little, tell_user
from ..opening.lm_choice import open_lm_for
from ..opening.lms import LMs
from ..opening.sources import corpus_to_search, is_artefact, open_step_lms
from ..opening.this_process import heap_at_rest
from .budget import DollarBudgetOptions
from .corpus import CorpusOptions
from .lm import StepLMOptions
from .program import ProgramOptions
from .single import CacheScope, InFlight

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ...serve.catalogue import Catalogue, Served
    from ...serve.operation import Limits

_NAMED = re.compile(r"([\w.-]+)=(.+)")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AddressOptions:
    """The address of a server, and how often it looks at its indexes."""

    host: str = "127.0.0.1"
    """The host to listen at; "0.0.0.0" lets other machines ask."""
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000
    """The port to listen at; 0 takes a free one."""
    fresh_every: Annotated[float, Parameter(validator=Number(gte=0))] = 2.0
    """Seconds between two looks whether an index has changed; 0 never looks."""


@dataclass(frozen=True, kw_only=True)
class ServingOptions(AddressOptions):
    """The address, who may ask, and how the programs are opened, each under a name of its own."""

    token_env: str | None = None
    """The environment variable with the key that clients must send as "Authorization: Bearer KEY"; several keys with
    commas between."""
    seconds: Annotated[float, Parameter(validator=Number(gt=0))] = 300.0
    """Seconds within which a question must be answered."""
    corpus: CorpusOptions = CorpusOptions()
    lm: str | None = None
    """The LM of all programs, as in `ask`; by default what each was compiled for, or else "local"."""
    lms: StepLMOptions = StepLMOptions()
    settings: ProgramOptions = ProgramOptions()
    budget: DollarBudgetOptions = DollarBudgetOptions()
    concurrency: InFlight = 64
    cache: CacheScope = None

    def catalogue(self, programs: Sequence[str]) -> "Catalogue":
        """The programs, each written as PROGRAM or NAME=PROGRAM, opened.

        Raises:
            InputError: One cannot be used, or an option is of no use to any.
        """
        from ...serve.catalogue import Catalogue

        inputs, lms = self.corpus.open(), self.lms.open(decoding=self.settings.decoding())
        named = [split_name(each) for each in programs]
        catalogue = Catalogue([self._open(name, program, inputs, lms) for name, program in named])
        lms.check_used()
        if any(catalogue.get(name).program.retrieves for name, program in named if not is_artefact(program)):
            tell_little(inputs)
        return catalogue

    def examples(self, source: str | None, program: str) -> list[str]:
        """Questions for the page: of the source, else of what the first program searches.

        Raises:
            InputError: The source holds no questions.
        """
        from ..opening.example_questions import example_questions

        _, program = split_name(program)
        inputs = self.corpus.open()
        saved = self.settings.read(program)
        return example_questions(inputs, source, corpus_to_search(program, saved, inputs))

    def _open(self, name: str, program: str, inputs: "Inputs", lms: "LMs") -> "Served":
        """The program, ready to answer under the name.

        Raises:
            InputError: It cannot be used, or does not fit its corpus or the LM; the sentence is that of `load`.
        """
        import dspy

        from ...runtime import check_budget
        from ...serve.catalogue import Served

        saved = self.settings.read(program)
        lm = open_lm_for(saved, self.lm, lms, step_lms=self.lms.step_lm)
        limits = {"budget": self.budget.budget(), "concurrency": self.concurrency}
        limits |= open_step_lms(self.lms.step_lm, lms.open)
        opened = self.settings.open(program, saved, corpus_to_search(program, saved, inputs), inputs, **limits)
        with dspy.context(lm=lm):
            check_budget(opened)
        return Served(name=name, program=opened, lm=lm)


def read_keys(variable: str | None) -> list[str]:
    """The keys that an environment variable holds, one or several with commas between; none without a variable.

    Raises:
        InputError: It is not set, or empty.
    """
    if variable is None:
        return []
    keys = [key.strip() for key in os.environ.get(variable, "").split(",") if key.strip()]
    if not keys:
        raise InputError(f"--token-env names {variable}, which is not set in the environment; put the key there.")
    return keys


@contextmanager
def needing_extra(command: str, extra: str = "serve") -> Iterator[None]:
    """Imports in the block are of an extra, which is named where it is not installed."""
    try:
        yield
    except ImportError as error:
        raise missing_extra(f"multihop {command}", extra, error) from None


def serve_until_ended(
    address: AddressOptions, make: "Callable[[], tuple[ASGIApp, Limits]]", tell: Callable[[str], str]
) -> None:
    """Answer what comes in at the address until SIGTERM or Ctrl-C.

    Args:
        address: The address, which is taken before anything else is done.
        make: Opens what is served; an application with its limits.
        tell: The words for the user, with the address that clients ask.

    Raises:
        KeyboardInterrupt: It was ended a second time, before all that was under way was answered.
    """
    from ...serve.web_server import WebServer, address_of_socket, is_local, listening_socket

    with listening_socket(address.host, address.port) as listener:
        server = WebServer(*make())
        tell_user(f"{tell(address_of_socket(listener, address.host))}; SIGTERM or Ctrl-C ends it.")
        if isinstance(address, ServingOptions) and address.token_env is None and not is_local(address.host):
            tell_user("no --token-env, so whoever reaches the port may ask.")
        with heap_at_rest():
            asyncio.run(server.serve_at(listener))
    if server.force_exit:
        raise KeyboardInterrupt("interrupted; what was under way is lost.")


def split_name(written: str) -> tuple[str, str]:
    """The name under which a program is served, and the program."""
    if (named := _NAMED.fullmatch(written)) and not Path(written).is_file():
        return named[1], named[2]
    return (Path(written).stem if is_artefact(written) else written), written
