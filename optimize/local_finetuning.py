"""Fine-tuning on this machine, with the extra [train]: a language model learns chat rows by trl's `SFTTrainer`."""

import difflib
import os
import re
import shutil
from collections.abc import Callable
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import dspy
import ujson
from pydantic import Field, PositiveFloat, PositiveInt, TypeAdapter, ValidationError

from ..base import InputError, RunFailed, missing_extra, writing_folder
from ..base.terminal import muted

OPTIONS: dict[str, Any] = {
    "epochs": PositiveFloat,
    "batch": PositiveInt,
    "longest": PositiveInt,
    "rank": Annotated[int, Field(ge=0)],
    "held_out": Annotated[float, Field(ge=0, lt=1)],
    "output": str,
}
"""Passes (2), rows a step (16), the most tokens of a row (4,096; longer ones are left out), the rank of LoRA (0, the
default, trains all weights), the share of questions whose loss says when to stop (0.1), and the folder for what is
trained. Every other option is one of trl's `SFTConfig`, by its name there."""
LOOKS, PATIENCE = 2, 2
"""Looks at what is held out in a pass, and the number of looks without a better loss that end the training."""
CARD = "clone.json"
"""The file of a trained model's folder that says what it learned from."""
_QUESTION = re.compile(r"^(?:\[\[ ## question ## \]\]|Question:)\s(.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)


def train_here(
    model: str,
    rows: list[dict[str, Any]],
    name: str,
    facts: dict[str, Any],
    options: dict[str, Any],
    tell: Callable[[str], None],
) -> tuple[Path, dict[str, Any]]:
    """Train a model, with the loss on the answers alone; its folder, and the facts with those of the training.

    The result is a transformers folder below `output` (by default DSPY_FINETUNEDIR, else in DSPy's cache). The same
    training again finds it there; one that was ended goes on at its last checkpoint.
    """
    check_options(options)
    root = options.get("output") or os.environ.get("DSPY_FINETUNEDIR") or f"{dspy.clients.DISK_CACHE_DIR}/finetune"
    folder = Path(root).expanduser().absolute() / name
    if folder.exists():
        tell(f"{folder} is there: {model} was trained on the same {len(rows)} conversations before")
    else:
        _train(model, rows, folder, facts, options, tell)
    return folder, ujson.loads((folder / CARD).read_text())["facts"]


def serving(folder: Path, facts: dict[str, Any]) -> str:
    """The command that serves a trained model."""
    return f"vllm serve {folder} --served-model-name {folder.name}"


def check_options(given: dict[str, Any]) -> None:
    """Refuse options that no training here has, and any training where the extra is missing."""
    for module in ("torch", "transformers", "trl", "peft"):
        if find_spec(module) is None:
            raise missing_extra("local fine-tuning", "train", f"No module named '{module}'")
    from trl import SFTConfig

    kinds = {**get_type_hints(SFTConfig), **OPTIONS}
    for name, value in given.items():
        if name not in kinds:
            near = "".join(f" did you mean '{each}'?" for each in difflib.get_close_matches(name, kinds, 1))
            known = ", ".join(OPTIONS)
            raise InputError(f"unknown option '{name}' of a training;{near} Valid: {known}, and trl's SFTConfig's.")
        try:
            TypeAdapter(kinds[name]).validate_python(value)
        except ValidationError as error:
            raise InputError(f"{name}={value!r} of a training: {error.errors()[0]['msg']}.") from None


def _train(
    base: str,
    rows: list[Any],
    folder: Path,
    facts: dict[str, Any],
    options: dict[str, Any],
    tell: Callable[[str], None],
) -> None:
    """Train the model and write the folder; checkpoints stand beside it until it is written."""
    import torch
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoModelForCausalLM, AutoTokenizer, EarlyStoppingCallback
    from trl import SFTTrainer

    where = os.path.expanduser(base)
    with muted(prints=False):  # bars of what is read
        tokenizer: Any = AutoTokenizer.from_pretrained(where)
        network: Any = AutoModelForCausalLM.from_pretrained(where, dtype="auto")
    if not tokenizer.chat_template:
        raise InputError(f"{base} has no chat template; start from a model that was made for conversations.")
    came_in, rank, work = network.dtype, options.get("rank", 0), folder.with_name(f"{folder.name}.training")
    longest = min(options.get("longest", 4096), getattr(network.config, "max_position_embeddings", None) or 1 << 30)
    kept = [row for row in rows if len(tokenizer.apply_chat_template(row["messages"])["input_ids"]) <= longest]
    if len(kept) < len(rows):
        tell(f"{len(rows) - len(kept)} of {len(rows)} conversations are longer than {longest:,} tokens and left out")
    held = [row for row in kept if is_held_out(row, options.get("held_out", 0.1))]
    learned = [row for row in kept if row not in held] or kept
    if not kept:
        raise InputError("no conversation is left to learn from; the option longest is the most tokens of one.")
    looks = bool(held) and learned != kept  # of very few questions none can be spared
    asked = [
        Dataset.from_list([{"prompt": row["messages"][:-1], "completion": row["messages"][-1:]} for row in some])
        for some in (learned, held if looks else [])
    ]
    try:
        with muted(prints=False):
            trainer = SFTTrainer(
                network if rank else network.float(),  # 16 bits lose small steps
                args=_config(options, work, longest, looks=looks),
                train_dataset=asked[0],
                eval_dataset=asked[1] if looks else None,
                processing_class=tokenizer,
                peft_config=LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear") if rank else None,
                callbacks=[EarlyStoppingCallback(PATIENCE)] if looks else None,
            )
        whole = sorted(work.glob("checkpoint-*/trainer_state.json"), key=lambda each: each.stat().st_mtime)
        trainer.train(resume_from_checkpoint=str(whole[-1].parent) if whole else None)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise RunFailed(
            f"the memory is too small to train {base} so; --train-set per_device_train_batch_size=1, "
            "activation_checkpointing=true, a smaller longest, or rank=16 (LoRA) take less."
        ) from error
    facts = facts | {"rank": rank, "seed": trainer.args.seed}
    about = {"start_from": base, "conversations": len(rows), "held_out": len(asked[1]), "options": options}
    trained: Any = trainer.model
    if rank:
        trained = trained.merge_and_unload()
    with writing_folder(folder, marker=CARD) as scratch, muted(prints=False):
        trained.to(came_in).save_pretrained(scratch)
        tokenizer.save_pretrained(scratch)
        trainer.create_model_card(model_name=folder.name)
        shutil.copy(work / "README.md", scratch)
        trainer.state.save_to_json(str(scratch / "trainer_state.json"))
        (scratch / CARD).write_text(
            ujson.dumps(about | {"facts": facts}, escape_forward_slashes=False, indent=2) + "\n"
        )
    shutil.rmtree(work, ignore_errors=True)


def _config(options: dict[str, Any], work: Path, longest: int, *, looks: bool) -> Any:
    """The options as trl has them."""
    import torch
    from transformers.utils import is_torch_bf16_gpu_available
    from trl import SFTConfig

    gpu, epochs = torch.accelerator.is_available(), options.get("epochs", 2)
    chip = {} if gpu else torch.cpu.get_capabilities()
    at_once = options.get("per_device_train_batch_size", 4 if gpu else 1)
    share = min(0.5, 1 / (LOOKS * epochs))  # of all steps
    ours = {
        "num_train_epochs": epochs,
        "learning_rate": 2e-4 if options.get("rank") else 5e-5,
        "warmup_steps": 0.05,
        "max_length": longest,
        "per_device_train_batch_size": at_once,
        "per_device_eval_batch_size": at_once,
        "gradient_accumulation_steps": max(1, options.get("batch", 16) // at_once),
        "activation_checkpointing": gpu,
        "bf16": is_torch_bf16_gpu_available() if gpu else bool(chip.get("avx512_bf16") or chip.get("amx_bf16")),
        "use_cpu": not gpu,
        "dataloader_pin_memory": gpu,
        "logging_steps": 1,
        "save_steps": share,
        "save_total_limit": 1,
        **({"eval_strategy": "steps", "eval_steps": share, "eval_on_start": True} if looks else {}),
        "load_best_model_at_end": looks,
    }
    theirs = {name: value for name, value in options.items() if name not in OPTIONS}
    return SFTConfig(**{**ours, **theirs, "output_dir": str(work)})


def is_held_out(row: dict[str, Any], share: float) -> bool:
    """True for rows of about that share of all questions, always of the same ones."""
    said = str(row["messages"][1]["content"])
    question = found[1] if (found := _QUESTION.search(said)) else said
    return int.from_bytes(blake2b(question.encode(), digest_size=8).digest(), "big") < share * 2**64
