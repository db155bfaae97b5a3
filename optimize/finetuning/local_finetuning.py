"""Fine-tuning on this machine, with the extra [train]: DSPy's door to the training in `training/`."""

import os
from pathlib import Path
from typing import Any

import dspy

from ...lms import open_lm
from ...lms.transformers_engine.files import PREFIX
from .chat_file import training_digest
from .clone_folder import clone_folder, is_cloned
from .training.options import TrainingOptions
from .training.training import train_clone

DECODING = ("temperature", "max_tokens", "top_p", "top_k", "seed")
"""The parameters that a trained LM takes over from the one before."""


class LocalJob(dspy.TrainingJob):
    """One training on this machine.

    Its result is an LM that answers in this process: DSPy's own is a copy of the LM from before, under another name.
    """

    name = "clone"
    """The name of what is trained; its folder begins with it."""

    def set_result(self, result: Any) -> None:
        """End with that LM, opened from its folder where it has one."""
        if isinstance(result, dspy.LM) and result.model.startswith(PREFIX):
            kept = {name: value for name, value in result.kwargs.items() if name in DECODING and value is not None}
            opened = open_lm(result.model, **kept)
            opened.provider = result.provider
            result = opened
        super().set_result(result)

    def tell(self, line: str) -> None:
        """Called with a line for people; replace it to show them."""

    def show(self, line: str) -> None:
        """Called after every step with a line that says how far it is; replace it to show the last one."""


class LocalProvider(dspy.Provider):
    """Trains a causal language model from the hub, a folder or a GGUF file, and leaves it in a folder of its own.

    The folder is named after the clone, the model and a digest of the training, below the folder in the variable
    DSPY_FINETUNEDIR, by default one in DSPy's cache; the option `output` names another one. Its `clone.json` says what
    it is (`CloneCard`). The same training again finds it there, and one that was ended goes on.

    The folder is an LM in this process, `open_lm("folder:PATH")`, and any OpenAI-compatible server such as vLLM
    serves it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.finetunable = True
        self.TrainingJob = LocalJob

    @staticmethod
    def is_provider_model(model: str) -> bool:
        """True for a folder or a GGUF file that is there, and for a name of the hub that no provider begins with."""
        import litellm

        if Path(model).expanduser().exists() or model.endswith(".gguf") or model.startswith(("/", "./", "../", "~")):
            return True
        owner, _, name = model.partition("/")
        providers = {getattr(each, "value", each) for each in litellm.provider_list}
        return bool(owner and name and "/" not in name) and owner not in providers

    @staticmethod
    def finetune(
        job: LocalJob,
        model: str,
        train_data: list[dict[str, Any]],
        train_data_format: str | None,
        train_kwargs: dict[str, Any] | None = None,
    ) -> str:
        """Train, and return the name under which `open_lm` opens the result in this process.

        Raises:
            InputError: An option, the model or the rows cannot be used, or the folder that is named holds another
                model; the message says which.
        """
        base = model.partition("/")[2] if model.startswith(("openai/", "hosted_vllm/", "huggingface/")) else model
        options = dict(train_kwargs or {})
        output = options.pop("output", None)
        TrainingOptions.of(options)
        training = training_digest(base, train_data, options)
        root = Path(os.environ.get("DSPY_FINETUNEDIR") or Path(dspy.clients.DISK_CACHE_DIR, "finetune"))
        folder = (Path(output).expanduser() if output else clone_folder(root, job.name, base, training)).absolute()
        if is_cloned(folder, training):
            job.tell(f"{folder} is there: {base} was trained on the same {len(train_data)} conversations before")
        else:
            train_clone(
                base,
                train_data,
                folder,
                name=job.name,
                training=training,
                given=options,
                tell=job.tell,
                show=job.show,
            )
        return f"{PREFIX}{folder}"
