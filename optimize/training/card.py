"""The model card next to an encoder's weights."""

from collections.abc import Mapping
from textwrap import fill
from typing import Any

_CARD = """# {start}, with heads for multi-hop questions

Two small transformers over one table of word vectors. `embed.onnx` is {start} as it came: it turns a text into a
vector. `judge.onnx` began as the same and was trained to read a question, what is known and a passage together. It says
whether the passage helps, whether it leads on, whether anything is then missing, which of its words are useful, where
the answer is, and which words make the next query. Precision: {precision}.

It points at words it is shown. It writes nothing of its own, knows no facts, and does not compare dates or count.

## Training

{lessons:,} lessons, {epochs} pass(es), learning rate {learning_rate}, seed {seed}, from

{sources}

Labels follow from gold paragraphs, sub-questions, triples and supporting sentences; hard negatives come from BM25. No
question of any dev or test set was used. The word vectors did not learn.

## Limits

English, encyclopedic text, questions of two to four hops. Passages longer than the window are read in several windows;
questions over 64 tokens lose their end. Scores are not probabilities outside of such text.

## Licence

The code and the training are Apache-2.0. {start} is Apache-2.0. The questions learned from are HotpotQA (CC BY-SA 4.0),
2WikiMultiHopQA (Apache-2.0) and MuSiQue (CC BY 4.0) where they are named above; their text is not in these files.
"""


def card(about: Mapping[str, Any], precision: str) -> str:
    """The card of an encoder, from what its training was told.

    Examples:
        >>> from multihop.optimize.training.card import card
        >>> told = {"start": "mini", "lessons": 9, "epochs": 1, "learning_rate": 0.1, "seed": 0, "sources": ["a.jsonl"]}
        >>> print(card(told, "int8").splitlines()[0])
        # mini, with heads for multi-hop questions
    """
    sources = "\n".join(f"- {source}" for source in about["sources"]) or "- nothing else"
    text = _CARD.format(**{**about, "sources": sources}, precision=precision)
    parts = (
        part if part.startswith(("#", "-")) else fill(part, 120, break_on_hyphens=False, break_long_words=False)
        for part in text.strip().split("\n\n")
    )
    return "\n\n".join(parts) + "\n"
