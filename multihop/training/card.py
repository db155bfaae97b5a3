"""The model card next to an encoder's weights."""

from collections.abc import Mapping
from textwrap import fill
from typing import Any

EARLIER = ", in an earlier training"
"""The ending of the sources of what a training began as."""
_CARD = """# {start}, with heads for multi-hop questions

Small transformers over one table of word vectors, for the encoder of multihop. `embed.onnx` is {start} as it came;
trained are {trained}. They point at words they are shown: they write nothing of their own, know no facts, and do not
compare dates or count.

## Training

{lessons:,} lessons for `{part}.onnx`, {epochs} pass(es), learning rate {learning_rate}, seed {seed}, from

{sources}

{kept}Labels follow from gold paragraphs, sub-questions, triples and supporting sentences; hard negatives come from
BM25. The word vectors did not learn.

## Limits and licence

Texts like those of its sources, and questions of one to four hops; of questions over 64 tokens the end is lost. The
code and the training are Apache-2.0. For {start} and for the questions and texts learned from, see where they come
from. No text of them is in these files.
"""


def card(about: Mapping[str, Any]) -> str:
    """The card of an encoder, from what its training was told."""
    kept = f"{about['keep']:.0%} of each weight is what it was before.\n\n" if about["keep"] else ""
    sources = "\n".join(f"- {source}" for source in about["sources"]) or "- nothing else"
    trained = ", ".join(f"`{part}.onnx`" for part in about["trained"])
    text = _CARD.format(**{**about, "trained": trained, "sources": sources, "kept": kept})
    paragraphs = (
        part if part.startswith(("#", "-")) else fill(part, 120, break_on_hyphens=False, break_long_words=False)
        for part in text.strip().split("\n\n")
    )
    return "\n\n".join(paragraphs) + "\n"
