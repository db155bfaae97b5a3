"""Fine-tuning on this machine, with the extra [tune]: a language model learns chat rows by trl's `SFTTrainer`."""

import difflib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b, file_digest
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, get_type_hints

import dspy
import ujson
from pydantic import Field, PositiveFloat, PositiveInt, TypeAdapter, ValidationError

from ..base import InputError, RunFailed, needing_extra, writing_folder
from ..base.terminal import muted
from ..base.texts import clock

OPTIONS: dict[str, Any] = {
    "epochs": PositiveFloat,
    "batch": PositiveInt,
    "longest": PositiveInt,
    "rank": Annotated[int, Field(ge=0)],
    "held_out": Annotated[float, Field(ge=0, lt=1)],
    "output": str,
}
"""Passes (2), rows a step (16), the most tokens of a row (those of the longest; longer ones are left out), the rank of
LoRA (16; 0 trains all weights), the share of questions whose loss says when to stop (0.1), and the folder for what is
trained. Every other option is one of trl's `SFTConfig`, by its name there."""
RANK = 16
"""The rank of LoRA unless one is given."""
TRIAL_ROWS, TRIAL_SECONDS, TOLD_EVERY = 64, 10.0, 30.0
"""Conversations, and seconds, of the trial before a training; seconds between two lines about it."""
TRIAL = {
    "learning_rate": 0.0,
    "gradient_accumulation_steps": 1,
    "max_steps": TRIAL_ROWS,
    "train_sampling_strategy": "sequential",
    "save_strategy": "no",
    "eval_strategy": "no",
    "load_best_model_at_end": False,
}
"""What a trial has other than a training."""
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


RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""The ranks that vLLM makes room for."""


def serving(folder: Path, facts: dict[str, Any]) -> str:
    """The commands that serve a trained model under its folder's name."""
    base, name, rank = facts["base"], folder.name, facts["rank"]
    if not rank:
        return f"vllm serve {folder} --served-model-name {name}"
    known = f" --base {base}" if Path(base).expanduser().is_dir() else ""  # else the converter finds it on the hub
    room = next((each for each in RANKS if each >= rank), rank)
    return (
        f"vllm serve {base} --enable-lora --max-lora-rank {room} --lora-modules {name}={folder}, "
        f"or with llama.cpp: python convert_lora_to_gguf.py {folder}{known} --outfile {folder}/adapter.gguf "
        f"&& llama-server -m BASE.gguf --lora {folder}/adapter.gguf --alias {name}"
    )


def check_options(given: dict[str, Any]) -> None:
    """Refuse options that no training here has, and any training where the extra is missing."""
    with needing_extra("local fine-tuning", "tune"):
        import peft  # noqa: F401
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
    from transformers import AutoTokenizer

    where, work = os.path.expanduser(base), folder.with_name(f"{folder.name}.training")
    with muted(prints=False):  # bars of what is read
        tokenizer: Any = AutoTokenizer.from_pretrained(where)
        network = _network(where, options)
    if not tokenizer.chat_template:
        raise InputError(f"{base} has no chat template; start from a model that was made for conversations.")
    came_in, rank = network.dtype, options.get("rank", RANK)
    kept, longest = _fitting(rows, tokenizer, network, options, tell)
    share = options.get("held_out", 0.1)
    learned = [(row, length) for row, length in kept if not is_held_out(row, share)] or kept
    held = [row for row, _ in kept if is_held_out(row, share)] if learned is not kept else []  # of few none is spared
    begun = sorted(work.glob("checkpoint-*/trainer_state.json"), key=lambda each: each.stat().st_mtime)
    try:
        with muted(prints=False):
            args = _config(options, work, longest, looks=bool(held))
            network = _with_weights_to_train(network, rank, options.get("seed", 42))
        if not begun:
            tell(_try_longest(network, tokenizer, learned, _config(options, work, longest, trial=True)))
        with muted(prints=False):
            trainer = _trainer(network, tokenizer, args, [row for row, _ in learned], held)
        trainer.add_callback(_progress(tell, sum(length for _, length in learned) / len(learned)))
        with _without_bars():
            trainer.train(resume_from_checkpoint=str(begun[-1].parent) if begun else None)
    except (RuntimeError, MemoryError) as error:
        if "memory" not in f"{type(error).__name__} {error}".lower():
            raise
        raise RunFailed(
            f"the memory is too small to train {base} on conversations of {longest:,} tokens; --train-set "
            "per_device_train_batch_size=1, activation_checkpointing=true, a smaller longest"
            f"{'' if rank else f', or rank={RANK} (LoRA)'} take less."
        ) from error
    facts = {**facts, "base_digest": _digest(where, network), "rank": rank, "seed": trainer.args.seed}
    about = {"start_from": base, "conversations": len(rows), "held_out": len(held), "options": options, "facts": facts}
    with writing_folder(folder, marker=CARD) as scratch, muted(prints=False):
        if rank:
            trainer.model.save_pretrained(scratch, save_embedding_layers=False)
        else:
            trainer.model.to(came_in).save_pretrained(scratch)
        tokenizer.save_pretrained(scratch)
        trainer.create_model_card(model_name=folder.name)
        shutil.copy(work / "README.md", scratch)
        trainer.state.save_to_json(str(scratch / "trainer_state.json"))
        (scratch / CARD).write_text(ujson.dumps(about, escape_forward_slashes=False, indent=2) + "\n")
    shutil.rmtree(work, ignore_errors=True)


def _network(where: str, options: dict[str, Any]) -> Any:
    """The model to start from: for LoRA in bf16 where the processor or card has it, else in 32 bits or as it is."""
    import torch
    from transformers import AutoModelForCausalLM

    if not options.get("rank", RANK):
        return AutoModelForCausalLM.from_pretrained(where, dtype="auto")
    half = options.get("bf16", has_bf16())
    return AutoModelForCausalLM.from_pretrained(where, dtype=torch.bfloat16 if half else torch.float32)


def has_bf16() -> bool:
    """True where the card or the processor reckons with such numbers, which then take half as long."""
    import torch
    from transformers.utils import is_torch_bf16_gpu_available

    if torch.accelerator.is_available():
        return bool(is_torch_bf16_gpu_available())
    chip = torch.cpu.get_capabilities()
    return bool(chip.get("avx512_bf16") or chip.get("amx_bf16"))


def _with_weights_to_train(network: Any, rank: int, seed: int) -> Any:
    """The model with an adapter of this rank, or all of its weights in 32 bits: 16 bits lose small steps."""
    from peft import LoraConfig, get_peft_model
    from transformers import set_seed

    if not rank:
        return network.float()
    set_seed(seed)
    linear = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")
    return get_peft_model(network, linear)


def _fitting(
    rows: list[Any], tokenizer: Any, network: Any, options: dict[str, Any], tell: Callable[[str], None]
) -> tuple[list[tuple[Any, int]], int]:
    """The conversations that fit, each with its tokens, and the most tokens; no conversation is cut."""
    most = min(options.get("longest") or 1 << 30, getattr(network.config, "max_position_embeddings", None) or 1 << 30)
    counted = [(row, len(tokenizer.apply_chat_template(row["messages"])["input_ids"])) for row in rows]
    kept = [(row, length) for row, length in counted if length <= most]
    if len(kept) < len(rows):
        tell(f"{len(rows) - len(kept)} of {len(rows)} conversations are longer than {most:,} tokens and left out")
    if not kept:
        raise InputError("no conversation is left to learn from; the option longest is the most tokens of one.")
    return kept, max(length for _, length in kept)


def _trainer(network: Any, tokenizer: Any, args: Any, learned: list[Any], held: list[Any]) -> Any:
    """A trainer of the model, with the loss on the answers alone."""
    from datasets import Dataset
    from transformers import EarlyStoppingCallback
    from trl import SFTTrainer

    asked = [
        Dataset.from_list([{"prompt": row["messages"][:-1], "completion": row["messages"][-1:]} for row in some])
        for some in (learned, held)
    ]
    return SFTTrainer(
        network,
        args=args,
        train_dataset=asked[0],
        eval_dataset=asked[1] if held else None,
        processing_class=tokenizer,
        callbacks=[EarlyStoppingCallback(PATIENCE)] if held else None,
    )


def _try_longest(network: Any, tokenizer: Any, learned: list[tuple[Any, int]], args: Any) -> str:
    """Train some seconds on the longest conversations, which changes nothing; a sentence about the speed.

    So it is known at once whether the memory is enough.
    """
    from transformers import TrainerCallback

    ends = [monotonic()]

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            ends.append(monotonic())
            control.should_training_stop = ends[-1] - ends[0] > TRIAL_SECONDS and len(ends) > 2

    longest = sorted(learned, key=lambda each: -each[1])[:TRIAL_ROWS]
    with muted(prints=False), _without_bars():
        trainer = _trainer(network, tokenizer, args, [row for row, _ in longest], [])
        trainer.add_callback(Clock())
        trainer.train()
    tried = longest[: (len(ends) - 1) * args.per_device_train_batch_size]
    speed = sum(length for _, length in tried) / (ends[-1] - ends[0])
    left = args.num_train_epochs * sum(length for _, length in learned) / speed
    return (
        f"tried on the {len(tried)} longest conversations, of up to {longest[0][1]:,} tokens (no conversation is cut): "
        f"{speed:,.0f} tokens/s, so {args.num_train_epochs:g} passes over {len(learned):,} take about {clock(left)}"
    )


@contextmanager
def _without_bars() -> Iterator[None]:
    """A block in which transformers draws no bars: one for every checkpoint."""
    import transformers

    logging: Any = transformers.logging
    drawn = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if drawn:
            logging.enable_progress_bar()


def _progress(tell: Callable[[str], None], mean_length: float) -> Any:
    """A callback that says now and then how far the training is, how fast, and how long it still takes."""
    from transformers import TrainerCallback

    class Progress(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self.begun, self.first, self.told = monotonic(), state.global_step, monotonic()

        def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            logs: dict[str, float] = kwargs["logs"]
            now, steps = monotonic(), state.global_step - self.first
            if "eval_loss" in logs:
                tell(f"step {state.global_step} of {state.max_steps}: loss {logs['eval_loss']:.3f} on what is held out")
            elif "loss" in logs and steps and now - self.told >= TOLD_EVERY:
                self.told, a_step = now, (now - self.begun) / steps
                speed = mean_length * args.per_device_train_batch_size * args.gradient_accumulation_steps / a_step
                left = clock((state.max_steps - state.global_step) * a_step)
                where = f"step {state.global_step} of {state.max_steps}: loss {logs['loss']:.3f}"
                tell(f"{where}, {speed:,.0f} tokens/s, about {left} left")

    return Progress()


def _digest(where: str, network: Any) -> str:
    """The digest of the files with a folder's weights; of a model of the hub, its commit."""
    digest = blake2b(digest_size=16)
    for path in sorted(Path(where).glob("*.safetensors")) or sorted(Path(where).glob("*.bin")):
        with path.open("rb") as file:
            digest.update(file_digest(file, "blake2b").digest())
    return digest.hexdigest() if Path(where).is_dir() else str(getattr(network.config, "_commit_hash", None))


def _config(options: dict[str, Any], work: Path, longest: int, *, looks: bool = False, trial: bool = False) -> Any:
    """The options as trl has them; for a trial, those of some steps that change no weight."""
    import torch
    from trl import SFTConfig

    gpu, epochs = torch.accelerator.is_available(), options.get("epochs", 2)
    at_once = options.get("per_device_train_batch_size", 4 if gpu else 1)
    share = min(0.5, 1 / (LOOKS * epochs))  # of all steps
    ours = {
        "num_train_epochs": epochs,
        "learning_rate": 2e-4 if options.get("rank", RANK) else 5e-5,
        "warmup_steps": 0.05,
        "max_length": longest,
        "per_device_train_batch_size": at_once,
        "per_device_eval_batch_size": at_once,
        "gradient_accumulation_steps": max(1, options.get("batch", 16) // at_once),
        "activation_checkpointing": gpu,
        "bf16": has_bf16(),
        "use_cpu": not gpu,
        "dataloader_pin_memory": gpu,
        "disable_tqdm": True,
        "logging_steps": 1,
        "save_steps": share,
        "save_total_limit": 1,
        **({"eval_strategy": "steps", "eval_steps": share, "eval_on_start": True} if looks else {}),
        "load_best_model_at_end": looks,
    }
    theirs = {name: value for name, value in options.items() if name not in OPTIONS}
    return SFTConfig(**{**ours, **theirs, **(TRIAL if trial else {}), "output_dir": str(work)})


def is_held_out(row: dict[str, Any], share: float) -> bool:
    """True for rows of about that share of all questions, always of the same ones."""
    said = str(row["messages"][1]["content"])
    question = found[1] if (found := _QUESTION.search(said)) else said
    return int.from_bytes(blake2b(question.encode(), digest_size=8).digest(), "big") < share * 2**64
