"""A model fine-tuned on chat rows, at OpenAI or on this machine."""

import re
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import dspy
import ujson

from ..base import InputError, MultihopError, RunFailed, missing_key
from ..base.errors import first_line
from ..base.terminal import muted
from ..lms.own_server import PROVIDER
from ..runtime import Decision, Program
from ..runtime.adapters import tuned_adapter
from .local_finetuning import serving, train_here

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.fine_tuning import FineTuningJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """A fine-tuned model: the name to ask it by, and what it was made of."""

    lm: str
    """The name under which it is asked, as `open_lm` takes it."""
    base: str
    """The model that it was made from."""
    folder: Path | None = None
    """The folder of one that was trained on this machine."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts for the file of a saved program: the digest of its rows; of one trained here also base, rank and seed."""
    serve: str = ""
    """The commands that serve one that was trained on this machine."""


def finetune(
    model: str,
    rows: list[dict[str, Any]],
    *,
    name: str = "clone",
    tell: Callable[[str], None] = lambda line: None,
    **options: Any,
) -> Tuned:
    """Fine-tune a model on the rows, and wait until it is ready.

    The same call again, after Ctrl-C or a kill, goes on with the training that was begun, or finds what it left.

    Args:
        model: The model to start from: `openai/MODEL`, or, to train on this machine, a transformers folder or a name
            on the hub.
        rows: Conversations, as `chat_rows` makes them.
        name: The name of the clone, such as "mzqa-plan"; the folder of a model trained here begins with it.
        tell: Called with lines about the job.
        **options: At OpenAI the job's `seed`, `suffix` and hyperparameters; here the `OPTIONS` of local_finetuning.py.

    Raises:
        InputError: An option or a row cannot be trained with; the message says why.
        RunFailed: The training came to nothing.
    """
    if not rows:
        raise InputError(f"there is no conversation to fine-tune '{model}' on.")
    facts = {"base": model, "rows": blake2b(chat_lines(rows).encode(), digest_size=16).hexdigest()}
    digest = blake2b(ujson.dumps([model, rows, options], sort_keys=True).encode(), digest_size=16).hexdigest()
    out = sys.stdout

    def tell_aloud(line: str) -> None:
        with redirect_stdout(out):
            tell(line)

    try:
        if model.startswith(HOSTS):
            return Tuned(lm=train_at_openai(model, rows, digest, options, tell), base=model, facts=facts)
        with muted(errors=False):  # bars are on the error stream
            name = re.sub(r"[^\w.-]+", "-", f"{name}-{Path(model).name}-{digest[:12]}")
            folder, facts = train_here(model, rows, name, facts, options, tell_aloud)
            serve = serving(folder, facts)
            return Tuned(lm=f"{PROVIDER}/{name}", base=model, folder=folder, facts=facts, serve=serve)
    except MultihopError:
        raise
    except Exception as error:
        raise RunFailed(f"fine-tuning '{model}' failed: {first_line(error)}") from error


class FinetuneProvider(dspy.Provider):
    """DSPy's door to `finetune`: `dspy.LM(model, provider=FinetuneProvider())` can be given to BootstrapFinetune."""

    def __init__(self) -> None:
        super().__init__()
        self.finetunable = True

    @staticmethod
    def finetune(
        job: Any, model: str, train_data: list[Any], train_data_format: Any, train_kwargs: dict[str, Any] | None = None
    ) -> str:
        """Train, and return the name of what was trained."""
        return finetune(model, train_data, **(train_kwargs or {})).lm


HOSTS = ("openai/", "ft:")
"""The beginnings of the names of models that are trained at OpenAI; any other is trained here, and asked on a server of
one's own."""


def asked_as(start_from: str) -> str:
    """The beginning, at least, of the name under which a model that starts from this one is asked."""
    return start_from if start_from.startswith(HOSTS) else f"{PROVIDER}/"


def chat_rows(program: Program, decisions: Iterable[Decision], *, lm: str = f"{PROVIDER}/") -> list[dict[str, Any]]:
    """Each decision as a conversation: the very messages its step is asked with, and the answer; no demonstrations.

    They are in plain words, as a tuned LM on a server of one's own is asked; for any other `lm`, by its name, they are
    in DSPy's marked fields. An answer that is one empty text cannot be said in plain words, and is left out.

    Examples:
        >>> from multihop.optimize import chat_rows
        >>> from multihop.programs import Direct
        >>> from multihop.runtime import Decision
        >>> (row,) = chat_rows(Direct(), [Decision("answer", {"question": "Who?"}, {"answer": "Ada"})])
        >>> row["messages"][1]["content"].split(), row["messages"][2]["content"]
        (['Question:', 'Who?', 'Answer:'], 'Ada')
    """
    adapter = tuned_adapter(lm)
    signatures = {name.partition(".")[0]: predictor.signature for name, predictor in program.named_predictors()}
    rows = (
        adapter.format_finetune_data(signatures[step], demos=[], inputs=inputs, outputs=outputs)
        for step, inputs, outputs in decisions
    )
    return [row for row in rows if row["messages"][-1]["content"]]


def chat_lines(rows: Iterable[dict[str, Any]]) -> str:
    """The rows as JSON lines, as fine-tuning takes them."""
    return "".join(ujson.dumps(row, ensure_ascii=False, escape_forward_slashes=False) + "\n" for row in rows)


FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
"""Seconds between two looks at a job: at first, and at most; each wait is twice the one before."""
KEY = "OPENAI_API_KEY"
_ENDS = ("succeeded", "failed", "cancelled")


def train_at_openai(
    model: str, rows: list[dict[str, Any]], digest: str, options: dict[str, Any], tell: Callable[[str], None]
) -> str:
    """Train at OpenAI, or at the server that OPENAI_BASE_URL names; the model's name as `open_lm` takes it.

    The digest of the training is the job's label, so that the same training again finds its first job and pays for no
    second one.
    """
    from openai import APIConnectionError, APIStatusError, OpenAI, OpenAIError

    try:
        client = OpenAI()
    except OpenAIError:
        raise missing_key(f"fine-tuning '{model}'", [KEY]) from None
    base, label = model.removeprefix("openai/"), {"multihop": digest}
    of_the_job: Any = {name: options[name] for name in ("seed", "suffix") if name in options}
    hyperparameters: Any = {name: value for name, value in options.items() if name not in of_the_job}
    method: Any = {"type": "supervised", "supervised": {"hyperparameters": hyperparameters}}
    try:
        with client:
            earlier = (each for each in client.fine_tuning.jobs.list(metadata=label) if each.metadata == label)
            if job := next((each for each in earlier if each.status not in ("failed", "cancelled")), None):
                tell(f"waiting for job {job.id}, begun earlier, which fine-tunes {base} on {len(rows)} rows")
            else:
                file = client.files.create(file=("rows.jsonl", chat_lines(rows).encode()), purpose="fine-tune")
                job = client.fine_tuning.jobs.create(
                    model=base, training_file=file.id, method=method, metadata=label, **of_the_job
                )
                tell(f"job {job.id} fine-tunes {base} on {len(rows)} rows")
            ended = _waited_for(client, job.id)
    except APIStatusError as refusal:
        body = refusal.body if isinstance(refusal.body, dict) else {}
        why = f"{body.get('message') or refusal.message}{f' ({refusal.code})' if refusal.code else ''}"
        raise RunFailed(f"fine-tuning '{model}' failed: OpenAI refuses: {why}") from refusal
    except APIConnectionError as lost:
        raise RunFailed(
            f"fine-tuning '{model}' failed: {client.base_url} cannot be reached; "
            "a job that was begun goes on there, and the same command waits for it again."
        ) from lost
    if ended.status == "succeeded" and ended.fine_tuned_model:
        return f"openai/{ended.fine_tuned_model}"
    cause = ended.error.message if ended.error and ended.error.message else f"it ended as {ended.status}"
    raise RunFailed(f"fine-tuning '{model}' failed: job {ended.id}: {cause}")


def _waited_for(client: "OpenAI", job: str) -> "FineTuningJob":
    """The job once it has ended."""
    wait = FIRST_WAIT
    try:
        while (now := client.fine_tuning.jobs.retrieve(job)).status not in _ENDS:
            sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)
        return now
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; job {job} goes on at OpenAI, and the same command waits for it again; "
            "cancel it on OpenAI's page of fine-tuning jobs to pay for no more of it."
        ) from None
