"""Options that several commands share, each by itself."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

ProgramName = Annotated[
    str,
    Parameter(
        help=("A program's name (`multihop programs` lists them), MODULE:CLASS of your own, or a saved program's file.")
    ),
]
RulesName = Annotated[
    str, Parameter(help="Whose official rules score the answers: hotpotqa, 2wikimultihopqa or musique.")
]
JudgeLM = Annotated[
    str | None,
    Parameter(name="--judge-lm", help="What judges whether an answer says the same as an accepted one; a metric."),
]
InFlight = Annotated[int, Parameter(help="Questions, and LM calls, in flight at once.", validator=Number(gte=1))]
PricesFile = Annotated[
    Path | None,
    Parameter(
        name="--prices",
        help=(
            'A JSON file with prices of your own, as {"MODEL": {"input": DOLLARS, "output": DOLLARS}} for a million '
            "tokens; others are those that come with DSPy."
        ),
    ),
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
    Parameter(
        name="--quiet",
        negative=(),
        help="Write what went wrong to the error stream, and nothing else.",
    ),
]
AsJSON = Annotated[bool, Parameter(name="--json", negative=(), help="Print the result as one JSON object instead.")]
