"""Fine-tuning on this machine, with the extra [train]: a plain loop over conversations, loss on the answers alone.

DSPy's own local provider expects an older trainer than those that can be installed today; this one needs torch and
transformers only.
"""

import os
import random
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dspy

from ...base import missing_extra, writing_folder
from ...lms import open_lm
from ...lms.transformers_engine.files import PREFIX
from .chat_file import training_digest
from .clone_folder import CARD, CloneCard, clone_folder, is_cloned, write_card

IGNORED = -100
"""The label of a token that the loss leaves out."""
PACKAGES = ("multihop", "torch", "transformers")

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


class LocalProvider(dspy.Provider):
    """Trains a causal language model from the hub, or from a folder, and leaves it in a folder of its own.

    The folder is named after the clone, the model and a digest of the training, below the folder in the variable
    DSPY_FINETUNEDIR, by default one in DSPy's cache; the option `output` names another one. Its `clone.json` says what
    it is (`CloneCard`). The same training again finds it there.

    Serve the folder with any OpenAI-compatible server, such as vLLM; the model is then `hosted_vllm/FOLDER`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.finetunable = True
        self.TrainingJob = LocalJob

    @staticmethod
    def finetune(
        job: LocalJob,
        model: str,
        train_data: list[dict[str, Any]],
        train_data_format: str | None,
        train_kwargs: dict[str, Any] | None = None,
    ) -> str:
        """Train, and return the name under which a server of one's own serves the result.

        Raises:
            InputError: The folder that is named holds another model.
        """
        base = model.partition("/")[2] if model.startswith(("openai/", "hosted_vllm/", "huggingface/")) else model
        options = dict(train_kwargs or {})
        output = options.pop("output", None)
        training = training_digest(base, train_data, options)
        root = Path(os.environ.get("DSPY_FINETUNEDIR") or Path(dspy.clients.DISK_CACHE_DIR, "finetune"))
        folder = (Path(output) if output else clone_folder(root, job.name, base, training)).absolute()
        if is_cloned(folder, training):
            job.tell(f"{folder} is there: {base} was trained on the same {len(train_data)} conversations before")
        else:
            finetune_model(base, train_data, folder, name=job.name, training=training, options=options)
        return f"hosted_vllm/{folder}"


def finetune_model(
    model: str, rows: list[dict[str, Any]], folder: Path, *, name: str, training: str, options: Mapping[str, Any]
) -> None:
    """Train the model on the rows and write it with its card to the folder, which is not there before.

    Args:
        model: A name on the hub, or a folder.
        rows: Conversations of system, user and assistant.
        folder: The folder of the trained model.
        name: The name of the clone.
        training: The digest of the training.
        options: Those of `train_model`.
    """
    network, tokenizer, losses = train_model(model, rows, **options)
    card: CloneCard = {
        "name": name,
        "start_from": model,
        "conversations": len(rows),
        "options": dict(options),
        "training": training,
        "losses": losses,
        "versions": {package: version(package) for package in PACKAGES},
    }
    with writing_folder(folder, marker=CARD) as scratch:
        network.save_pretrained(scratch)
        tokenizer.save_pretrained(scratch)
        write_card(scratch, card)


def train_model(
    model: str,
    rows: list[dict[str, Any]],
    *,
    epochs: int = 3,
    learning_rate: float = 1e-5,
    batch: int = 8,
    longest: int = 4096,
    seed: int = 0,
) -> tuple[Any, Any, list[float]]:
    """The trained model with its tokenizer, and the mean loss of each epoch.

    The weights are trained in 32 bits, whatever they come in: a step of the learning rate is lost in the rounding of a
    weight in 16. They are given back in the form in which they came.

    Args:
        model: A name on the hub, or a folder.
        rows: Conversations of system, user and assistant.
        epochs: The number of passes over all rows.
        learning_rate: The learning rate of AdamW, falling linearly to 0.
        batch: Rows to a step; they go through the model one by one, so that memory stays small.
        longest: Tokens of a conversation; longer ones lose their beginning.
        seed: The seed of the order of the rows.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise missing_extra("local fine-tuning", "train", error) from None
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(model)
    network: Any = AutoModelForCausalLM.from_pretrained(model)
    came_in = network.dtype
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network.float().to(device).train()
    examples = [_labelled(tokenizer, row["messages"], longest) for row in rows]
    optimizer = torch.optim.AdamW(network.parameters(), lr=learning_rate)
    steps = epochs * -(-len(examples) // batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    order, losses = random.Random(seed), []
    for _ in range(epochs):
        order.shuffle(examples)
        total = 0.0
        for start in range(0, len(examples), batch):
            taken = examples[start : start + batch]
            for tokens, labels in taken:
                ids = torch.tensor([tokens], device=device)
                loss = network(input_ids=ids, labels=torch.tensor([labels], device=device)).loss
                (loss / len(taken)).backward()
                total += loss.item()
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        losses.append(total / len(examples))
    return network.to(came_in), tokenizer, losses


def _labelled(tokenizer: Any, messages: list[dict[str, str]], longest: int) -> tuple[list[int], list[int]]:
    """The conversation's tokens, and the same as labels with all but the answer left out."""
    if tokenizer.chat_template:
        asked = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True)
    else:
        asked = "\n\n".join(message["content"] for message in messages[:-1]) + "\n\n"
    before = tokenizer(asked, add_special_tokens=False)["input_ids"]
    answer = tokenizer(messages[-1]["content"] + (tokenizer.eos_token or ""), add_special_tokens=False)["input_ids"]
    tokens = [*before, *answer][-longest:]
    return tokens, ([IGNORED] * len(before) + answer)[-longest:]
