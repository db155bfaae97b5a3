"""An encoder trained by transformers' `Trainer`, which takes the steps and keeps the checkpoints.

It needs the extra [train]. What is here is the losses of the heads, and what a training begins with and leaves.
"""

import math
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import accelerate  # noqa: F401  # the Trainer would say only at its first step that it needs it
import torch
import ujson
from tokenizers import Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, embedding, pad, softplus
from transformers import EarlyStoppingCallback, PrinterCallback, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from ..base import MismatchError, write_record
from ..encoder.judgement import READING_WINDOW
from ..encoder.layout import TOKENS, WINDOW
from ..optimize.local_finetuning import has_bf16
from .encoder_folder import Beginning
from .gold_ways import Lesson
from .lessons import EncoderPart
from .network import ANSWERS, IGNORED, Batch, Network, collate

ABOUT = "about.json"
BATCH = {"judge": 4, "labeler": 4, "reader": 16, "filter": 32}
"""Lessons of a step. Those of judge and labeler are of six to ten passages, the others of one input."""
SAVE_EVERY = 50
"""Steps between two checkpoints where no lessons are held back."""
EVALUATIONS, PATIENCE = 10, 3
"""Measurements of a training with lessons held back, and how many in a row may be no better before it ends."""
WARM_UP = 0.06
"""The share of the steps in which the learning rate rises."""
ABREAST = 4
"""Inputs of like length that go through the network at once on a processor: a step takes 0.4 of the time of one with
all inputs padded together."""
_WEIGHTS = {"ranking": 1.0, "verdicts": 1.0, "useful": 0.5, "kept": 0.5, "answer": 0.3, "span": 0.5}
"""The weight of each head's loss."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """The options of a training."""

    part: EncoderPart = "judge"
    """The network that learns; "labeler" and "filter" are those of EfficientRAG. It begins as the judge."""
    start: str | None = None
    """The transformer to begin with, a folder or a name on the hub; all-MiniLM-L6-v2 unless given. It should embed
    sentences well. Or the folder of an encoder, or "built-in": then that part of it is trained further."""
    epochs: int = 1
    """Passes over all lessons."""
    learning_rate: float = 1.5e-4
    """The highest; it rises at first and then falls to 0."""
    seed: int = 0
    """The seed of the order of the lessons."""


def train_encoder(
    lessons: Sequence[Lesson],
    folder: Path,
    options: TrainingOptions = TrainingOptions(),
    *,
    held_back: Sequence[Lesson] = (),
    sources: Sequence[str] = (),
    quiet: bool = False,
) -> None:
    """Train an encoder on lessons and write its folder; a training that was killed goes on from its last checkpoint.

    With lessons held back, the checkpoint with the lowest loss on them becomes the encoder, and the training ends after
    three measurements that are no better. Checkpoints are in FOLDER.training until it is finished.
    """
    about = asdict(options) | {"lessons": len(lessons), "held_back": len(held_back), "sources": list(sources)}
    beginning, checkpoints = Beginning.open(options.start), folder.with_name(f"{folder.name}.training")
    network, tokenizer = beginning.network(options.part)
    _note(checkpoints, about)
    _run(network, tokenizer, lessons, held_back, options, checkpoints, quiet=quiet)
    beginning.write(folder, network, tokenizer, about)
    shutil.rmtree(checkpoints)


def _note(folder: Path, about: dict[str, Any]) -> None:
    """Write down what a training learns from, or see that the one that is there learns from the same."""
    told = ujson.dumps(about, indent=2, ensure_ascii=False, escape_forward_slashes=False)
    if not (folder / ABOUT).is_file():
        write_record(folder / ABOUT, about)
    elif (folder / ABOUT).read_text(encoding="utf-8", errors="replace") != told:
        raise MismatchError(
            f"{folder} holds another training ({ABOUT} there says which); issue its own command to go on with it, or "
            f"remove the folder."
        )


def _run(
    network: Network,
    tokenizer: Tokenizer,
    lessons: Sequence[Lesson],
    held_back: Sequence[Lesson],
    options: TrainingOptions,
    folder: Path,
    *,
    quiet: bool = False,
) -> None:
    """Train a network in place, from the folder's last checkpoint on."""
    window = READING_WINDOW if options.part == "reader" else WINDOW
    size = BATCH[options.part]
    steps = options.epochs * math.ceil(len(lessons) / size)
    every = math.ceil(steps / EVALUATIONS) if held_back else SAVE_EVERY
    arguments = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=options.epochs,
        per_device_train_batch_size=size,
        per_device_eval_batch_size=size,
        learning_rate=options.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=int(WARM_UP * steps),  # none where steps are few: the first of it has a learning rate of 0
        weight_decay=0.01,
        seed=options.seed,
        use_cpu=not torch.cuda.is_available(),
        bf16=has_bf16(),
        eval_strategy="steps" if held_back else "no",
        eval_steps=every,
        save_steps=every,
        logging_steps=every,
        save_total_limit=1,
        load_best_model_at_end=bool(held_back),
        label_names=["verdicts"],
        prediction_loss_only=True,
        remove_unused_columns=False,
        dataloader_pin_memory=torch.cuda.is_available(),
        disable_tqdm=quiet,
        report_to="none",
    )
    trainer = LessonTrainer(
        network,
        args=arguments,
        data_collator=lambda some: collate(some, tokenizer, window)._asdict(),
        train_dataset=lessons,
        eval_dataset=held_back or None,
        callbacks=[EarlyStoppingCallback(PATIENCE)] if held_back else None,
    )
    if quiet:
        trainer.remove_callback(PrinterCallback)
    for unfinished in folder.glob("checkpoint-*"):  # the state is written last
        if not (unfinished / "trainer_state.json").is_file():
            shutil.rmtree(unfinished)
    last = get_last_checkpoint(str(folder))  # type: ignore[no-untyped-call]
    trainer.train(resume_from_checkpoint=last)
    trainer.accelerator.unwrap_model(network, keep_fp32_wrapper=False)  # else it would be written in half precision


class LessonTrainer(Trainer):
    """A `Trainer` that knows the losses of the encoder's heads."""

    def __init__(self, network: Network, **options: Any) -> None:
        """All options as for `Trainer`."""
        super().__init__(network, **options)
        self.vectors = network.word_vectors().to(self.args.device)

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The weighted sum of the heads' losses."""
        batch = Batch(**inputs)
        pooled, tokens = verdicts_on(model, self.vectors, batch)
        losses = losses_of(pooled.float(), tokens.float(), batch)
        loss = sum((_WEIGHTS[name] * value for name, value in losses.items()), pooled.new_zeros(()).float())
        return (loss, {"loss": loss}) if return_outputs else loss


def verdicts_on(network: Any, vectors: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """The network's verdicts on a batch: those of each input and of each token."""
    lengths = batch.mask.sum(1)
    order = lengths.argsort(stable=True)
    pooled, tokens = [], []
    for rows in torch.split(order, ABREAST if batch.ids.device.type == "cpu" else len(order)):
        longest = int(lengths[rows].max())
        ids, mask, types = (each[rows, :longest] for each in (batch.ids, batch.mask, batch.types))
        verdicts, marks = network(embedding(ids, vectors), types, mask)
        pooled.append(verdicts)
        tokens.append(pad(marks, (0, 0, 0, batch.mask.shape[1] - longest)))
    back = order.argsort()
    return torch.cat(pooled)[back], torch.cat(tokens)[back]


def losses_of(pooled: torch.Tensor, tokens: torch.Tensor, batch: Batch) -> dict[str, torch.Tensor]:
    """The losses of the heads that a batch says something of, by name."""
    judged = batch.verdicts[:, 0] != IGNORED
    useful, kept, start, end = (tokens[..., TOKENS.index(name)] for name in TOKENS)
    losses = {"useful": _marks(useful, batch.useful), "kept": _marks(kept, batch.kept)}
    if judged.any():  # the filter learns from queries alone
        losses["ranking"] = _ranking(pooled[judged, 0], batch.group[judged], batch.verdicts[judged, 0] == 1)
        losses["verdicts"] = binary_cross_entropy_with_logits(pooled[judged, :3], batch.verdicts[judged].float())
    if (batch.answer != IGNORED).any():
        losses["answer"] = cross_entropy(pooled[:, ANSWERS:], batch.answer, ignore_index=IGNORED)
    if (batch.start != IGNORED).any():
        losses["span"] = sum(
            (
                cross_entropy(logits.masked_fill(batch.types == 0, -1e4), target, ignore_index=IGNORED)
                for logits, target in ((start, batch.start), (end, batch.end))
            ),
            pooled.new_zeros(()),
        )
    return losses


def _ranking(scores: torch.Tensor, group: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """For each right one: how surely it is told from the wrong ones of its group."""
    same = group[:, None] == group[None, :]
    rivals = torch.where(same & ~right[None, :], scores[None, :], scores.new_tensor(-1e4)).logsumexp(1)
    surely = softplus(rivals - scores)[right]
    return surely.mean() if len(surely) else scores.new_zeros(())  # a batch may hold nothing that is right


def _marks(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    counted = targets != IGNORED
    if not counted.any():
        return logits.new_zeros(())
    return binary_cross_entropy_with_logits(logits[counted], targets[counted].float())
