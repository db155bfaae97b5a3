"""Fine-tuning on this machine, with the extra [train]: a plain loop over conversations, loss on the answers alone.

DSPy's own local provider expects an older trainer than those that can be installed today; this one needs torch and
transformers only.
"""

import os
import random
from pathlib import Path
from typing import Any

import dspy

from ...base import missing_extra, writing_folder

IGNORED = -100
"""The label of a token that the loss leaves out."""
MARKER = "config.json"


class LocalProvider(dspy.Provider):
    """Trains a causal language model from the hub, or from a folder, and leaves it in a folder.

    Serve the folder with any OpenAI-compatible server, such as vLLM; the model is then `hosted_vllm/FOLDER`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.finetunable = True
        self.TrainingJob = dspy.TrainingJob

    @staticmethod
    def finetune(
        job: dspy.TrainingJob,
        model: str,
        train_data: list[dict[str, Any]],
        train_data_format: str | None,
        train_kwargs: dict[str, Any] | None = None,
    ) -> str:
        """Train, and return the name under which a server of one's own serves the result."""
        name = model.partition("/")[2] if model.startswith(("openai/", "hosted_vllm/", "huggingface/")) else model
        options = dict(train_kwargs or {})
        trained = os.environ.get("DSPY_FINETUNEDIR") or Path(dspy.clients.DISK_CACHE_DIR, "finetune")
        folder = Path(options.pop("output", Path(trained).absolute() / Path(name).name))
        finetune_model(name, train_data, folder, **options)
        return f"hosted_vllm/{folder}"


def finetune_model(
    model: str,
    rows: list[dict[str, Any]],
    folder: Path,
    *,
    epochs: int = 3,
    learning_rate: float = 1e-5,
    batch: int = 8,
    longest: int = 4096,
    seed: int = 0,
) -> list[float]:
    """Train the model on the rows, write it to the folder, and return the mean loss of each epoch.

    Args:
        model: A name on the hub, or a folder.
        rows: Conversations of system, user and assistant.
        folder: The folder of the trained model; replaced if it holds a model.
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
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network.to(device).train()
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
    with writing_folder(folder, marker=MARKER) as scratch:
        network.save_pretrained(scratch)
        tokenizer.save_pretrained(scratch)
    return losses


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
