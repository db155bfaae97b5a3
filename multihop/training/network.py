"""The encoder with its heads in PyTorch, as it is trained and exported; needs the extra [train]."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoModel

from ..base.english import Span
from ..encoder.layout import POOLED, TOKENS, WINDOW, Window, layout
from .gold_ways import LabelledPassage, Lesson, QueryLesson


class Network(nn.Module):
    """A transformer over word vectors, a verdict for the whole input, and one for each token.

    The word vectors come from a table that stays as it is: it is more than half of a small encoder, a few thousand
    questions move few of its rows, and what does not move can be shared with other networks.
    """

    def __init__(self, transformer: Any) -> None:
        super().__init__()
        self.transformer = transformer
        width = transformer.config.hidden_size
        self.pooled = nn.Linear(2 * width, len(POOLED))
        self.tokens = nn.Linear(width, len(TOKENS))

    @classmethod
    def start(cls, source: str) -> "Network":
        """The transformer of a folder or a name on the hub, with heads that know nothing yet."""
        transformer = AutoModel.from_pretrained(source, attn_implementation="eager")
        # Dropout triples the cost of a step on a CPU; few passes over the data make up for it.
        for module in transformer.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
            if hasattr(module, "dropout_prob"):
                module.dropout_prob = 0.0
        return cls(transformer)

    def word_vectors(self) -> torch.Tensor:
        """The table of word vectors, as coarse as it will be stored, so that training sees what inference sees."""
        rows, scales = in_bytes(self.transformer.get_input_embeddings().weight.detach().float())
        return rows.float() * scales[:, None]

    def forward(
        self, words: torch.Tensor, types: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The verdicts of each input (`POOLED`) and of each of its tokens (`TOKENS`), as logits."""
        states = self.transformer(inputs_embeds=words, attention_mask=mask, token_type_ids=types).last_hidden_state
        return self.pooled(torch.cat([states[:, 0], mean(states, mask)], -1)), self.tokens(states)


def in_bytes(vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A table as bytes, and a factor for each of its rows."""
    scales = vectors.abs().amax(1).clamp(min=1e-8) / 127
    return (vectors / scales[:, None]).round().to(torch.int8), scales


class Pooling(nn.Module):
    """The transformer alone, giving one vector of length 1 an input, and the states of its tokens."""

    def __init__(self, transformer: Any) -> None:
        super().__init__()
        self.transformer = transformer

    def forward(self, words: torch.Tensor, mask: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean of the states of the tokens, and the states."""
        states = self.transformer(inputs_embeds=words, attention_mask=mask).last_hidden_state
        return nn.functional.normalize(mean(states, mask), dim=-1), states


def mean(states: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """The mean of the states of an input's tokens; without a mask, all of them are."""
    if mask is None:
        return states.mean(1)
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)


IGNORED = -100
"""The target of what a loss leaves out."""
ANSWERS = POOLED.index("none")
"""From here on the pooled verdicts say where the answer is."""
_NONE, _SPAN, _YES, _NO = range(4)
_FILLERS = {"ids": 0, "mask": 0, "types": 0, "useful": IGNORED, "kept": IGNORED}
"""The fields with one number a token, and the numbers that they are padded with."""


class Batch(NamedTuple):
    """Inputs, and what the heads should say of them; `IGNORED` where they may say anything."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    group: torch.Tensor
    """The lesson that each input belongs to."""
    verdicts: torch.Tensor
    """Relevant, continue, enough."""
    answer: torch.Tensor
    """The place among none, span, yes, no."""
    useful: torch.Tensor
    kept: torch.Tensor
    start: torch.Tensor
    end: torch.Tensor


def collate(lessons: Sequence[Lesson], tokenizer: Tokenizer, window: int = WINDOW) -> Batch:
    """The inputs of some lessons with their targets, padded to the longest."""
    rows = [row for group, lesson in enumerate(lessons) for row in _rows(lesson, tokenizer, group, window)]
    longest = max(len(row["ids"]) for row in rows)
    columns = {name: [row[name] for row in rows] for name in Batch._fields}
    for name, filler in _FILLERS.items():
        columns[name] = [[*each, *[filler] * (longest - len(each))] for each in columns[name]]
    return Batch(**{name: torch.tensor(column) for name, column in columns.items()})


def _rows(lesson: Lesson, tokenizer: Tokenizer, group: int, window: int) -> list[dict[str, Any]]:
    """The inputs of a lesson before padding."""
    labelled: list[LabelledPassage | QueryLesson] = [*lesson.candidates, *lesson.queries]
    rows = []
    for each, windows in zip(labelled, layout(tokenizer, [each.pair for each in labelled], window), strict=True):
        shown = _window_of(each, windows) if isinstance(each, LabelledPassage) else windows[0]
        length, first = len(shown.ids), shown.first
        row = {
            "ids": shown.ids,
            "mask": [1] * length,
            "types": [0] * first + [1] * (length - first),
            "group": group,
            "verdicts": [IGNORED] * 3,
            "answer": IGNORED,
            "useful": [IGNORED] * length,
            "kept": [IGNORED] * length,
            "start": IGNORED,
            "end": IGNORED,
        }
        rows.append(row | (_judged(each, shown) if isinstance(each, LabelledPassage) else _picked(each, shown)))
    return rows


def _window_of(labelled: LabelledPassage, windows: Sequence[Window]) -> Window:
    """The window that holds the answer or most marks; the first of equals."""
    marks = [labelled.answer] if isinstance(labelled.answer, tuple) else list(labelled.useful)

    def held(window: Window) -> int:
        begin, end = (window.offsets[0][0], window.offsets[-1][1]) if window.offsets else (0, 0)
        return sum(begin <= mark[0] and mark[1] <= end for mark in marks)

    return max(windows, key=held)


def _judged(labelled: LabelledPassage, window: Window) -> dict[str, Any]:
    """The targets of a passage."""
    told: dict[str, Any] = {"verdicts": [int(labelled.relevant), int(labelled.leads_on), int(labelled.enough)]}
    if labelled.useful or labelled.helpful is not None:  # what is useful in a passage, if the passage is
        marks = labelled.useful if labelled.helpful is None else labelled.helpful
        told["useful"] = _marked(window, window.offsets, window.first, marks)
    if labelled.answer in ("yes", "no"):
        told["answer"] = _YES if labelled.answer == "yes" else _NO
    elif isinstance(labelled.answer, tuple):
        inside = [place for place, span in enumerate(window.offsets, window.first) if _meet(span, labelled.answer)]
        if inside:
            told |= {"answer": _SPAN, "start": inside[0], "end": inside[-1]}
    elif not labelled.enough:  # else the answer is elsewhere, or in other words
        told["answer"] = _NONE
    return told


def _picked(query: QueryLesson, window: Window) -> dict[str, Any]:
    """The targets of a next query."""
    asked = _marked(window, window.asked, 1, query.asked)
    found = _marked(window, window.offsets, window.first, query.found)
    return {"kept": [max(both) for both in zip(asked, found, strict=True)]}


def _marked(window: Window, spans: Sequence[Span], first: int, marks: Sequence[Span]) -> list[int]:
    """For each token from a place on, whether it is marked; nothing is said of the others."""
    told = [int(any(_meet(span, mark) for mark in marks)) for span in spans]
    return [*[IGNORED] * first, *told, *[IGNORED] * (len(window.ids) - first - len(told))]


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
