"""`multihop serve`, `multihop mcp` and `multihop index serve`: what other processes, machines and agents ask."""

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from cyclopts import Parameter
from cyclopts.validators import Number

from ... import runtime
from ...base import InputError, needing_extra
from ...base.errors import shown_variable
from ...base.imports import dspy
from ..data_options import CorpusOptions, FileOptions, SearchOptions
from ..lm_options import LMs, ProgramLMOptions
from ..process import heap_at_rest, tell_user
from ..program_options import BudgetOptions, ProgramOptions, is_artefact
from ..shared_options import AtLeastOne, CacheScope, InFlight, NotNegative, ServedName, Switch

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ...retrieval import Retriever
    from ...serve.catalogue import Catalogue, Served
    from ...serve.operation import Limits

MorePrograms = Annotated[str, Parameter(help="More programs.")]
_NAMED = re.compile(r"([\w.-]+)=(.+)")
LONGEST = 200
"""Characters of a question that the page offers."""
DEFAULT = "ranked-rag"
"""The program that answers where a folder is named and no program."""


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
    lms: ProgramLMOptions = ProgramLMOptions()
    settings: ProgramOptions = ProgramOptions()
    budget: BudgetOptions = BudgetOptions()
    concurrency: InFlight = 64
    cache: CacheScope = None

    def open_lms(self) -> LMs:
        """The opener of the programs' LMs."""
        return LMs(self.lms, self.settings.decoding())

    def catalogue(self, programs: Sequence[str], lms: LMs) -> "Catalogue":
        """The programs, each written as PROGRAM or NAME=PROGRAM, opened; what several search is opened once."""
        from ...serve.catalogue import Catalogue

        search = cache(partial(self.corpus.open, follow=True))
        named = [split_name(each) for each in programs]
        catalogue = Catalogue([self._open(name, program, lms, search) for name, program in named])
        if any(catalogue.get(name).program.retrieves for name, program in named if not is_artefact(program)):
            self.corpus.tell_little()
        return catalogue

    def _open(self, name: str, program: str, lms: LMs, search: "Callable[[str], Retriever]") -> "Served":
        """The program, ready to answer under the name; one that does not fit its corpus or the LM is refused."""
        from ...serve.catalogue import Served

        saved = self.settings.read(program)
        lm, step_lms = lms.open_all(saved, self.lms.lm)
        source = self.corpus.to_search(program, saved)
        opener = self.corpus.opener(source, saved) and partial(search, source)
        limits = {"budget": self.budget.budget(), "concurrency": self.concurrency, **step_lms}
        made = self.settings.open(program, saved, opener, **limits)
        with dspy.context(lm=lm):
            runtime.check_budget(made)
        return Served(name=name, program=made, lm=lm)


Options = TypeVar("Options", bound=ServingOptions)


@dataclass(frozen=True, kw_only=True)
class HTTPOptions(ServingOptions):
    """The options of `serve`."""

    queued: NotNegative = 256
    """Questions that wait at most; above, 429 with Retry-After."""
    log_texts: Switch = False
    """Write questions, answers and reasons of failures into the log as well."""
    examples: str | None = None
    """A question file, of which the page offers the first three; by default those of the little encyclopedia, where it
    is searched."""


def serve_command(program: ServedName, /, *others: MorePrograms, serving: HTTPOptions = HTTPOptions()) -> None:
    """Serve programs over HTTP, and a page on which to ask them.

    A folder before the programs is what they search; without a program, ranked-rag answers. A folder of documents is
    indexed, and looked at every --fresh-every seconds.

    POST /ask, /ask/stream, /v1/chat/completions and /retrieve; GET /v1/models, /healthz, /readyz, /metrics,
    /openapi.json; in a browser the page at /. A question that takes longer than --seconds is answered by 504. SIGTERM
    or Ctrl-C ends it once what is under way is answered.

    For example:

        multihop serve docs
        multihop serve one-step -c corpus.jsonl
        multihop serve resp.json one-step -c indexes/wiki --lm openai/gpt-4.1
        multihop serve fast=one-step careful=resp.json -c corpus.jsonl --lm local --token-env MULTIHOP_KEY
    """
    from ...data.sources import is_documents

    with needing_extra("multihop serve", "serve"):
        from ...serve.application import make_application
        from ...serve.web_server import is_local
    from ...serve.operation import EventLog, Limits
    from ...serve.service import Service

    keys = read_keys(serving.token_env)
    serving, programs = with_folder(serving, [program, *others])
    limits = Limits(in_flight=serving.concurrency, queued=serving.queued, seconds=serving.seconds)
    names, lms = ", ".join(split_name(each)[0] for each in programs), serving.open_lms()
    names += f" over {program}" if program not in programs else ""

    def make() -> Any:
        catalogue = serving.catalogue(programs, lms)
        first = split_name(programs[0])[1]
        searched = serving.corpus.to_search(first, serving.settings.read(first))
        documents = Path(searched).expanduser() if not keys and is_documents(searched) else None  # a link has no key
        log = EventLog(with_texts=serving.log_texts)
        service = Service(catalogue, limits, cache=serving.cache, log=log, documents=documents)
        application = make_application(
            service,
            keys=keys,
            fresh_every=serving.fresh_every,
            local=is_local(serving.host),
            examples=example_questions(serving.corpus, serving.examples, searched),
        )
        return application, limits

    with runtime.priced_by(lms.prices):
        serve_until_ended(serving, make, lambda address: f"{names}: served at {address}")


@dataclass(frozen=True, kw_only=True)
class MCPOptions(ServingOptions):
    """The options of `mcp`."""

    http: Switch = False
    """Serve streamable HTTP at http://HOST:PORT/mcp, to clients with the key of --token-env; by default, standard
    input and output are spoken on."""


def mcp_command(program: ServedName, /, *others: MorePrograms, serving: MCPOptions = MCPOptions()) -> None:
    """Give an agent the tools `ask`, `search` and `fetch`, by MCP.

    For example:

        multihop mcp docs
        multihop mcp one-step -c corpus.jsonl
        multihop mcp resp.json -c indexes/wiki --lm openai/gpt-4.1 --http --port 8765
    """
    with needing_extra("multihop mcp", "serve"):
        from ...serve.mcp_server import make_mcp_server
        from ...serve.web_server import Gate, is_local
    from ...serve.operation import Limits
    from ...serve.service import Service

    if serving.token_env is not None and not serving.http:
        raise InputError("--token-env is for --http; standard input and output need no key.")
    serving, programs = with_folder(serving, [program, *others])
    keys, lms = read_keys(serving.token_env), serving.open_lms()
    limits = Limits(in_flight=serving.concurrency, seconds=serving.seconds)

    def tools() -> tuple[Any, Service]:
        service = Service(serving.catalogue(programs, lms), limits, cache=serving.cache)
        return make_mcp_server(service, fresh_every=serving.fresh_every), service

    def make() -> Any:
        server, service = tools()
        application = server.streamable_http_app(host=serving.host)
        local = is_local(serving.host)
        return Gate(application, keys=keys, largest=limits.body_bytes, log=service.log, local=local), limits

    with runtime.priced_by(lms.prices):
        if serving.http:
            serve_until_ended(serving, make, lambda address: f"served at {address}/mcp")
        else:
            asyncio.run(tools()[0].run_stdio_async())


def serve_index_command(
    corpus: str,
    /,
    *,
    address: AddressOptions = AddressOptions(),
    search: SearchOptions = SearchOptions(),
    max_k: AtLeastOne = 1000,
) -> None:
    """Serve an index over HTTP, as Search-R1 and FlashRAG ask it.

    Another process then searches it with `--corpus http://HOST:PORT`. No key is asked for: who reaches the port can
    search. SIGTERM or Ctrl-C ends it once what is under way is answered.

    For example:

        multihop index serve indexes/wiki
        multihop index serve indexes/wiki --host 0.0.0.0 --port 8893 --max-k 100
        multihop index serve corpus.jsonl --retriever dense

    Parameters
    ----------
    corpus
        An index folder; or "little" or a corpus, which is indexed first.
    max_k
        Hits for a query at most.
    """
    from ...data.little import is_little

    with needing_extra("multihop index serve", "serve"):
        from ...serve.application import make_index_application
        from ...serve.web_server import is_local
    from ...serve.operation import Limits
    from ...serve.service import IndexService

    limits = Limits(k=max_k, body_bytes=4 << 20)
    name = corpus if Path(corpus).exists() or is_little(corpus) else "the retriever"

    def make() -> Any:
        service = IndexService(search.open(corpus, follow=True), limits)
        return make_index_application(service, fresh_every=address.fresh_every, local=is_local(address.host)), limits

    serve_until_ended(address, make, lambda place: f"{name} is served at {place} (POST /retrieve, GET /healthz)")


def with_folder(options: Options, programs: list[str]) -> tuple[Options, list[str]]:
    """The options and the programs, where a folder before the programs is the corpus that they search."""
    from ...programs.registry import PROGRAMS

    if options.corpus.corpus is not None or programs[0] in PROGRAMS or not Path(programs[0]).is_dir():
        return options, programs
    corpus = replace(options.corpus, corpus=programs[0])
    return replace(options, corpus=corpus), programs[1:] or [DEFAULT]


def read_keys(variable: str | None) -> list[str]:
    """The keys that an environment variable holds, one or several with commas between; none without a variable."""
    if variable is None:
        return []
    keys = [key.strip() for key in os.environ.get(variable, "").split(",") if key.strip()]
    if not keys:
        named = shown_variable(variable)
        raise InputError(f"--token-env names {named}, which is not set in the environment; put the key there.")
    return keys


def serve_until_ended(
    address: AddressOptions, make: "Callable[[], tuple[ASGIApp, Limits]]", tell: Callable[[str], str]
) -> None:
    """Answer what comes in at the address until SIGTERM or Ctrl-C; a second one gives up what is under way.

    The address is taken before what is served is opened, and told to the user with the words of `tell`.
    """
    from ...serve.web_server import WebServer, address_of_socket, is_local, listening_socket

    with listening_socket(address.host, address.port) as listener:
        server = WebServer(*make())
        tell_user(f"{tell(address_of_socket(listener, address.host))}; SIGTERM or Ctrl-C ends it.")
        if isinstance(address, ServingOptions) and address.token_env is None and not is_local(address.host):
            tell_user("no --token-env, so everyone who reaches the port may ask.")
        with heap_at_rest():
            asyncio.run(server.serve_at(listener))
    if server.force_exit:
        raise KeyboardInterrupt("interrupted; what was under way is lost.")


def split_name(written: str) -> tuple[str, str]:
    """The name under which a program is served, and the program."""
    if (named := _NAMED.fullmatch(written)) and not Path(written).is_file():
        return named[1], named[2]
    return (Path(written).stem if is_artefact(written) else written), written


def example_questions(files: FileOptions, source: str | None, corpus: str) -> list[str]:
    """The first three short questions of the source's first 200; without one, of those that come with the corpus."""
    from ...data.little import is_little

    if source is None and not is_little(corpus):
        return []
    questions = (each.question for each in islice(files.questions(source or corpus), 200))
    return list(islice(dict.fromkeys(each for each in questions if len(each) <= LONGEST), 3))
