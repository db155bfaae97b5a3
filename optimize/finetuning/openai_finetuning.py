"""Fine-tuning at OpenAI by its public client: the file is sent, the job begun and waited for."""

from collections.abc import Callable
from time import sleep
from typing import TYPE_CHECKING, Any

from ...base import RunFailed, missing_key, reword
from .chat_file import chat_lines

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.fine_tuning import FineTuningJob

FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
"""Seconds between two looks at a job: at first, and at most; each wait is twice as long as the one before."""
KEY = "OPENAI_API_KEY"
_ENDS = ("succeeded", "failed", "cancelled")


def train_at_openai(
    model: str, rows: list[dict[str, Any]], digest: str, options: dict[str, Any], tell: Callable[[str], None]
) -> str:
    """Train at OpenAI, or at the server that OPENAI_BASE_URL names; the model's name as `open_lm` takes it.

    Args:
        model: The model to start from.
        rows: Conversations.
        digest: Of the training. It is the job's label, so that the same training again finds the job of the first call
            there and pays for no second one.
        options: `seed` and `suffix` are the job's; all others, such as `n_epochs`, are hyperparameters.
        tell: Called with lines about the job.

    Raises:
        MissingKeyError: There is no key.
        RunFailed: OpenAI refuses, cannot be reached, or gave the job up.
        KeyboardInterrupt: Ctrl-C; the message says which job goes on.
    """
    from openai import APIConnectionError, APIStatusError, OpenAI, OpenAIError

    try:
        client = OpenAI()
    except OpenAIError:
        error = missing_key(model, [KEY])
        raise reword(error, f"fine-tuning '{model}' needs a key: set {KEY} in the environment.") from None
    try:
        with client:
            job = _begun(client, model.removeprefix("openai/"), rows, {"multihop": digest}, options, tell)
            ended = _waited_for(client, job)
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
    raise RunFailed(f"fine-tuning '{model}' failed: job {job}: {cause}")


def _begun(
    client: "OpenAI",
    model: str,
    rows: list[dict[str, Any]],
    label: dict[str, str],
    options: dict[str, Any],
    tell: Callable[[str], None],
) -> str:
    """The id of the job with this label: of one that an earlier call has begun, or else of a new one."""
    for earlier in client.fine_tuning.jobs.list(metadata=label):
        if earlier.status not in ("failed", "cancelled") and earlier.metadata == label:
            tell(f"waiting for job {earlier.id}, begun earlier, which fine-tunes {model} on {len(rows)} rows")
            return earlier.id
    file = client.files.create(file=("rows.jsonl", chat_lines(rows).encode()), purpose="fine-tune")
    of_the_job: Any = {name: options[name] for name in ("seed", "suffix") if name in options}
    hyperparameters: Any = {name: value for name, value in options.items() if name not in of_the_job}
    method: Any = {"type": "supervised", "supervised": {"hyperparameters": hyperparameters}}
    begun = client.fine_tuning.jobs.create(
        model=model, training_file=file.id, method=method, metadata=label, **of_the_job
    )
    tell(f"job {begun.id} fine-tunes {model} on {len(rows)} rows")
    return begun.id


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
