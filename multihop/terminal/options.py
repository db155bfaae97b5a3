"""The options that several commands share, each declared once: its name, its type and its help."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

ProgramName = Annotated[
    str,
    Parameter(
        help="A program's name (`multihop programs` lists them), MODULE:CLASS of your own, or a saved program's file."
    ),
]
SearchedCorpus = Annotated[
    str | None,
    Parameter(
        alias="-c",
        help=(
            '"world", a corpus file or a folder of such files, an index folder, or the address of a server '
            "(http://HOST:PORT); by default what the saved program names, or else the "
            "own paragraphs of the questions, for questions of the world the world."
        ),
    ),
]
RetrieverName = Annotated[
    str | None,
    Parameter(
        name="--retriever",
        help=(
            "What searches the corpus, where it is no index: bm25 (the default), dense, hybrid, one of an installed "
            "package, or MODULE:CLASS of your own."
        ),
    ),
]
RerankingCheckpoint = Annotated[
    str | None,
    Parameter(
        name="--rerank-with",
        help=(
            "A ColBERT checkpoint, by its folder or its name on the hub, that orders the first 50 hits of each search "
            "anew."
        ),
    ),
]
AllowedModules = Annotated[
    list[str] | None,
    Parameter(
        name="--allow",
        negative=(),
        help="A module of your own from which a saved program's class may be imported; may be given more than once.",
    ),
]
OwnDemonstrations = Annotated[
    Path | None,
    Parameter(
        name="--demos",
        help='A JSON file of demonstrations of your own, as {"STEP": [{"FIELD": VALUE}]}, shown as they are.',
    ),
]
CorpusFields = Annotated[
    list[str] | None,
    Parameter(
        name="--field",
        negative=(),
        help=(
            "Which field of the corpus is which, where its name is not a usual one, as text=body: id, title or text; "
            "may be given more than once."
        ),
    ),
]
QuestionFields = Annotated[
    list[str] | None,
    Parameter(
        name="--field",
        negative=(),
        help=(
            "Which field of a file is which, where its name is not a usual one, as question=query: question, answer, "
            "id, supporting or type of the questions, title or text of the corpus; may be given more than once."
        ),
    ),
]
SkipBad = Annotated[
    int,
    Parameter(
        help="Leave out at most so many bad records of each file, and say how many and why.", validator=Number(gte=0)
    ),
]
ApiBase = Annotated[
    str | None,
    Parameter(
        help=(
            "Address of an OpenAI-compatible server, for every LM that is not built in and names no server of its own "
            "(NAME@ADDRESS)."
        )
    ),
]
LMFile = Annotated[
    Path | None,
    Parameter(
        name="--lms",
        help=(
            "A TOML file that describes LMs, each under a name to be used wherever an LM is named: model, api_base, "
            "key_env (the environment variable with the key), temperature and other parameters."
        ),
    ),
]
Temperature = Annotated[
    float | None,
    Parameter(
        help="The temperature of every LM that is not built in; the same as --lm-set temperature=T.",
        validator=Number(gte=0),
    ),
]
LMSettings = Annotated[
    list[str] | None,
    Parameter(
        name="--lm-set",
        negative=(),
        help="A parameter of the LM as name=value, such as temperature=0; may be given more than once.",
    ),
]
StepLMNames = Annotated[
    list[str] | None,
    Parameter(
        name="--step-lm",
        negative=(),
        help=(
            "Another LM for one step, as step=LM, such as read=openai/gpt-4.1, read=openai/qwen3@http://host:8000/v1, "
            "or read=NAME with a name of --lms; may be given more than once."
        ),
    ),
]
ProgramSettings = Annotated[
    list[str] | None,
    Parameter(
        name="--set",
        negative=(),
        help=(
            "A setting of the program as name=value (`multihop programs NAME` explains them all); may be given more "
            "than once."
        ),
    ),
]
RulesName = Annotated[
    str, Parameter(help="Whose official rules score the answers: hotpotqa, 2wikimultihopqa or musique.")
]
QuestionOffset = Annotated[
    int | None, Parameter(name="--offset", help="Pass over so many questions before.", validator=Number(gte=0))
]
QuestionSample = Annotated[
    int | None,
    Parameter(
        name="--sample",
        help="Draw so many of the questions, after the offset, by their ids: the same ones on every machine.",
        validator=Number(gte=1),
    ),
]
SampleSeed = Annotated[
    int | None, Parameter(name="--sample-seed", help="Another seed draws another sample; --seed does not change it.")
]
QuestionLimit = Annotated[int | None, Parameter(help="Only the first so many questions.", validator=Number(gte=1))]
JudgeLM = Annotated[
    str | None,
    Parameter(name="--judge-lm", help="What judges whether an answer says the same as an accepted one; a metric."),
]
InFlight = Annotated[int, Parameter(help="Questions, and LM calls, in flight at once.", validator=Number(gte=1))]
RayAddress = Annotated[
    str | None,
    Parameter(
        name="--ray",
        help=(
            "The address of a Ray cluster whose nodes share the work (the extra [ray]): HOST:PORT of its head node, or "
            '"auto" for the one that runs on this machine.'
        ),
    ),
]
WorkerCount = Annotated[
    int | None,
    Parameter(
        name="--workers",
        help="With --ray: how many workers answer, each --concurrency questions at once; one for each CPU by default.",
        validator=Number(gte=1),
    ),
]
ProcessCount = Annotated[
    int | None,
    Parameter(
        name="--processes",
        help="Answer in so many processes of this machine, each --concurrency questions at once.",
        validator=Number(gte=1),
    ),
]
PricesFile = Annotated[
    Path | None,
    Parameter(
        name="--prices",
        help=(
            'A JSON file with prices of your own, as {"MODEL": {"input": DOLLARS, "output": DOLLARS}} for a million '
            "tokens; others are those of LiteLLM's table."
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
