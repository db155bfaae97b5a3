"""Options that several commands share, each by itself, and the ranges of numbers."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

AtLeastOne = Annotated[int, Parameter(validator=Number(gte=1))]
AtMost = Annotated[int | None, Parameter(validator=Number(gte=1))]
NotNegative = Annotated[int, Parameter(validator=Number(gte=0))]
Proportion = Annotated[float, Parameter(validator=Number(gte=0, lte=1))]
BudgetDollars = Annotated[float | None, Parameter(validator=Number(gt=0))]

Several = Annotated[list[str] | None, Parameter(negative=())]
"""An option that may be given more than once."""
Switch = Annotated[bool, Parameter(negative=())]
"""An option that is there or not."""

_PROGRAM = "A program's name (`multihop programs` lists them), MODULE:CLASS of your own, or a saved program's file"
ProgramName = Annotated[str, Parameter(help=f"{_PROGRAM}.")]
ProgramNames = Annotated[
    str, Parameter(help=f"{_PROGRAM}. Several, with commas between them, are compared, and one is recommended.")
]
ServedName = Annotated[
    str,
    Parameter(help=f"{_PROGRAM}; as NAME=PROGRAM under another name. The first answers where a request names none."),
]
RetrieverName = Annotated[
    str | None,
    Parameter(
        help=(
            "The retriever, where the corpus is no index: bm25 (the default), dense, hybrid, one of an installed "
            "package, or MODULE:CLASS of your own; or a TREC run file, whose rankings are then searched."
        )
    ),
]
RulesName = Annotated[
    str, Parameter(help="Whose official rules score the answers: hotpotqa, 2wikimultihopqa or musique.")
]
BudgetCalls = Annotated[
    int | None,
    Parameter(help="LM calls a question at most; a program then answers with what it has.", validator=Number(gte=0)),
]
InFlight = Annotated[
    int, Parameter(help="Questions, and LM calls, in flight at once.", validator=Number(gte=1, lte=1024))
]
CacheScope = Annotated[
    Literal["off", "run", "shared"] | None,
    Parameter(
        help=(
            'Which kept answers are used: "off" none, "run" this run\'s own, "shared" all that this machine has kept; '
            'by default "shared" for a provider\'s LM, "run" for a server of your own.'
        )
    ),
]
Quiet = Annotated[
    bool,
    Parameter(name="--quiet", negative=(), help="Write what went wrong to the error stream, and nothing else."),
]
AsJSON = Annotated[bool, Parameter(name="--json", negative=(), help="Print the result as one JSON object instead.")]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """The form in which a command tells what came of it."""

    json: AsJSON = False
    quiet: Quiet = False


@dataclass(frozen=True, kw_only=True)
class AskingOptions(OutputOptions):
    """Options of commands that ask the questions of a set."""

    judge_lm: str | None = None
    """What judges whether an answer says the same as an accepted one; a metric."""
    budget_calls: BudgetCalls = None
    concurrency: InFlight = 32
    seed: int = 0
    """Another seed draws anew: answers kept from runs with other seeds are not used again."""
    cache: CacheScope = None


def pick(options: object, *names: str) -> dict[str, Any]:
    """The values of these options by their names, for a function that calls them the same."""
    return {name: getattr(options, name) for name in names}
