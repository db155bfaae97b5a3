"""The model card next to an encoder's weights."""

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from .source_licences import licences

_CARD = """# {start}, with heads for multi-hop questions

Small transformers over one table of word vectors. {embed} It turns a text into a vector. {judge} It says whether
the passage helps, whether it leads on, whether anything is then missing, which of its words are useful, where the
answer is, and which words make the next query. {reader} Precision: {precision}.

It points at words it is shown. It writes nothing of its own, knows no facts, and does not compare dates or count.

## Training

{lessons:,} lessons for `{part}.onnx`, {epochs} pass(es), learning rate {learning_rate}, seed {seed}, from

{sources}

{mean}Labels follow from gold paragraphs, marked answers, sub-questions, triples and supporting sentences; hard
negatives come from BM25. No question of any dev or test set that the project measures with was used. The word vectors
did not learn.

## Limits

English, encyclopedic text, questions of one to four hops. Passages longer than the window are read in several windows;
questions over 64 tokens lose their end. Scores are not probabilities outside of such text.

## Licence

The code and the training are Apache-2.0. {start} is Apache-2.0. {licences} No text of them is in these files.
"""
_PARTS = {
    "embed": (
        "`embed.onnx` is {start} as it came.",
        "`embed.onnx` began as {start} and learned to put a question next to the paragraphs that help with it.",
    ),
    "reader": (
        "There is no reader beside it: it reads answers as well.",
        "`reader.onnx` began as the judge and learned to read several pages at once: where in them the answer is, or "
        "that none of them tells.",
    ),
    "judge": (
        "`judge.onnx` began as the same and has learned nothing yet.",
        "`judge.onnx` began as the same and learned to read a question, what is known and a passage together.",
    ),
}


def card(about: Mapping[str, Any], precision: str) -> str:
    """The card of an encoder, from what its training was told.

    Examples:
        >>> from multihop.training.card import card
        >>> told = {"start": "mini", "lessons": 9, "epochs": 1, "learning_rate": 0.1, "seed": 0, "sources": ["a.jsonl"]}
        >>> print(card(told, "int8").splitlines()[0])
        # mini, with heads for multi-hop questions
    """
    sources = "\n".join(f"- {source}" for source in about["sources"]) or "- nothing else"
    learned = about.get("trained", ["judge"])
    parts = {part: texts[part in learned].format(start=about["start"]) for part, texts in _PARTS.items()}
    named = licences(about["sources"])
    used = (
        f"The questions learned from are of {'; '.join(named)}." if named else "No one's questions were learned from."
    )
    fields = {
        "part": "judge",
        "mean": _mean(about),
        **about,
        **parts,
        "sources": sources,
        "precision": precision,
        "licences": used,
    }
    text = _CARD.format(**fields)
    paragraphs = (
        part if part.startswith(("#", "-")) else fill(part, 120, break_on_hyphens=False, break_long_words=False)
        for part in text.strip().split("\n\n")
    )
    return "\n\n".join(paragraphs) + "\n"


def _mean(about: Mapping[str, Any]) -> str:
    """The sentence on the part of the weights that is not of that training, if any."""
    if apart := about.get("mean_with"):
        return (
            f"Of each weight {about['keep']:.0%} is of that training, and the rest of one apart: "
            f"{apart['lessons']:,} lessons, {apart['epochs']} pass(es), learning rate {apart['learning_rate']}, "
            f"seed {apart['seed']}.\n\n"
        )
    return f"{about['keep']:.0%} of each weight is what it was before.\n\n" if about.get("keep") else ""
