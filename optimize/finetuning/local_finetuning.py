"""Fine-tuning on this machine, with the extra [train]: DSPy's door to the training in `training/`."""

import os
from pathlib import Path
from typing import Any

import dspy

from ...lms.own_server import PROVIDER
from .chat_file import training_digest
from .clone_folder import clone_folder, is_cloned
from .training.options import TrainingOptions
from .training.training import train_clone


class LocalJob(dspy.TrainingJob):
    """One training on this machine."""

    name = "clone"
    """The name of what is trained; its folder begins with it."""

    def tell(self, line: str) -> None:
        """Called with a line for people; replace it to show them."""

    def show(self, line: str) -> None:
        """Called after every step with a line that says how far it is; replace it to show the last one."""


class LocalProvider(dspy.Provider):
    """Trains a causal language model from the hub or a folder, and leaves it in a folder of its own.

    The folder is named after the clone, the model and a digest of the training, below the folder in the variable
    DSPY_FINETUNEDIR, by default one in DSPy's cache; the option `output` names another one. Its `clone.json` says what
    it is (`CloneCard`). The same training again finds it there, and one that was ended goes on.

    It is a folder of transformers, and is asked through a server under the folder's own name: `vllm serve FOLDER
    --served-model-name NAME`, then `open_lm("server/NAME@http://localhost:8000/v1")`. DSPy's own optimizers ask the
    server of the LM from before for it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.finetunable = True
        self.TrainingJob = LocalJob

    @staticmethod
    def is_provider_model(model: str) -> bool:
        """True for a file or folder that is there, and for a name of the hub that no provider begins with."""
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
        """Train, and return the name under which the result is asked once it is served.

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
        job.tell(f"serve it to ask it: vllm serve {folder} --served-model-name {folder.name}")
        return f"{PROVIDER}/{folder.name}"
