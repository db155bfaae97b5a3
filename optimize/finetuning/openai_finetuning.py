"""Fine-tuning at OpenAI by its public client: the file is sent, the job begun and waited for.

A job is labelled with what it is trained on, so that the same call again, after Ctrl-C, a lost connection or a kill,
finds the job of the first one there and pays for no second one.
"""

from time import sleep
from typing import TYPE_CHECKING, Any

import dspy

from ...base import RunFailed, missing_key, reword
from .chat_file import chat_lines, training_digest

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

FIRST_WAIT, LONGEST_WAIT = 5.0, 60.0
"""Seconds between two looks at a job: at first, and at most; each wait is twice as long as the one before."""
KEY = "OPENAI_API_KEY"
_LABEL = "multihop"
"""The job's metadata under which its digest stands."""
_OPTIONS_OF_THE_JOB = ("seed", "suffix")
"""All others are hyperparameters of the training."""


class OpenAIJob(dspy.TrainingJob):
    """One training. A thread that waits for it ends with the process: the training itself goes on at OpenAI."""

    def __init__(self, thread: Any = None, **given: Any) -> None:
        super().__init__(thread, **given)
        if thread is not None:
            thread.daemon = True

    def tell(self, line: str) -> None:
        """Called with a line for people; replace it to show them."""


class OpenAIProvider(dspy.Provider):
    """Trains a model of OpenAI's, or of whatever server OPENAI_BASE_URL names, with the key in OPENAI_API_KEY.

    The options `seed` and `suffix` are the job's; all others, such as `n_epochs`, are hyperparameters. Another `seed`
    makes another training of the same rows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.finetunable = True
        self.TrainingJob = OpenAIJob

    @staticmethod
    def is_provider_model(model: str) -> bool:
        """True for `openai/MODEL`, and for a bare name of a model that was fine-tuned."""
        return model.startswith(("openai/", "ft:"))

    @staticmethod
    def finetune(
        job: OpenAIJob,
        model: str,
        train_data: list[dict[str, Any]],
        train_data_format: str | None,
        train_kwargs: dict[str, Any] | None = None,
    ) -> str:
        """Train, and return the model's name as `open_lm` takes it.

        Raises:
            MissingKeyError: There is no key.
            RunFailed: OpenAI refuses, cannot be reached, or gave the job up.
            KeyboardInterrupt: Ctrl-C; the message says which job goes on.
        """
        from openai import APIConnectionError, APIStatusError, OpenAI, OpenAIError

        name = model.removeprefix("openai/")
        try:
            client = OpenAI()
        except OpenAIError:
            error = missing_key(model, [KEY])
            raise reword(error, f"fine-tuning '{model}' needs a key: set {KEY} in the environment.") from None
        try:
            with client:
                begun = _begun(client, job, name, train_data, train_kwargs or {})
                return f"openai/{_finished(client, begun, model)}"
        except APIStatusError as refusal:
            raise RunFailed(f"fine-tuning '{model}' failed: OpenAI refuses: {_reason(refusal)}") from refusal
        except APIConnectionError as lost:
            raise RunFailed(
                f"fine-tuning '{model}' failed: {client.base_url} cannot be reached; "
                "a job that was begun goes on there, and the same command waits for it again."
            ) from lost


def _begun(client: "OpenAI", told: OpenAIJob, model: str, rows: list[dict[str, Any]], options: dict[str, Any]) -> str:
    """The id of a job for these rows: of one that an earlier call has begun, or else of a new one."""
    label = {_LABEL: training_digest(model, rows, options)}
    for earlier in client.fine_tuning.jobs.list(metadata=label):
        if earlier.status not in ("failed", "cancelled") and earlier.metadata == label:
            told.tell(f"waiting for job {earlier.id}, begun earlier, which fine-tunes {model} on {len(rows)} rows")
            return earlier.id
    file = client.files.create(file=("rows.jsonl", chat_lines(rows).encode()), purpose="fine-tune")
    hyperparameters: Any = {name: value for name, value in options.items() if name not in _OPTIONS_OF_THE_JOB}
    begun = client.fine_tuning.jobs.create(
        model=model,
        training_file=file.id,
        method={"type": "supervised", "supervised": {"hyperparameters": hyperparameters}},
        metadata=label,
        **{name: options[name] for name in _OPTIONS_OF_THE_JOB if name in options},
    )
    told.tell(f"job {begun.id} fine-tunes {model} on {len(rows)} rows")
    return begun.id


def _finished(client: "OpenAI", job: str, model: str) -> str:
    """Wait for the job; the name of the model that it made."""
    wait = FIRST_WAIT
    try:
        while (now := client.fine_tuning.jobs.retrieve(job)).status not in ("succeeded", "failed", "cancelled"):
            sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; job {job} goes on at OpenAI, and the same command waits for it again; "
            "cancel it on OpenAI's page of fine-tuning jobs to pay for no more of it."
        ) from None
    if now.status == "succeeded" and now.fine_tuned_model:
        return now.fine_tuned_model
    cause = now.error.message if now.error and now.error.message else f"it ended as {now.status}"
    raise RunFailed(f"fine-tuning '{model}' failed: job {job}: {cause}")


def _reason(refusal: "APIStatusError") -> str:
    """OpenAI's own sentence, and its code such as `insufficient_quota`."""
    body = refusal.body if isinstance(refusal.body, dict) else {}
    code = f" ({refusal.code})" if refusal.code else ""
    return f"{body.get('message') or refusal.message}{code}"
