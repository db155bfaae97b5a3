"""The model card next to an encoder's weights."""

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import Any

EARLIER = ", in an earlier training"
_SETS = {
    "hotpotqa": ("HotpotQA", "CC BY-SA 4.0"),
    "2wikimultihopqa": ("2WikiMultiHopQA", "Apache-2.0"),
    "musique": ("MuSiQue", "CC BY 4.0"),
    "squad": ("SQuAD", "CC BY-SA 4.0"),
    "boolq": ("BoolQ", "CC BY-SA 3.0"),
    "nq": ("Natural Questions", "CC BY-SA 3.0"),
    "nqswap": ("NQ-Swap, made of Natural Questions", "CC BY-SA 3.0"),
    "quoref": ("Quoref and its contrast sets", "CC BY 4.0"),
    "drop": ("contrast sets of DROP", "CC BY-SA 4.0"),
    "popqa": ("PopQA", "MIT, its paragraphs CC BY-SA"),
    "qamr": ("QAMR", "MIT, its paragraphs CC BY-SA and CC BY"),
    "timeqa": ("TimeQA", "BSD-3-Clause, its paragraphs CC BY-SA"),
    "strategyqa": ("StrategyQA", "MIT"),
    "redocred": ("Re-DocRED", "MIT, its paragraphs CC BY-SA"),
}
"""The set that a training file comes from, and the licence of its questions, by the first word of its name."""
_CARD = """# {start}, with heads for multi-hop questions

Small transformers over one table of word vectors. {embed} It turns a text into a vector. {judge} It says whether
the passage helps, whether it leads on, whether anything is then missing, which of its words are useful, where the
answer is, and which words make the next query. {reader}{labeler}{filter} Precision: {precision}.

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
    "labeler": (
        "",
        " `labeler.onnx` began as the judge and learned EfficientRAG's labels: of a query and a passage, whether the "
        "passage helps, and which of its words answer the query.",
    ),
    "filter": (
        "",
        " `filter.onnx` began as the judge and learned to pick the next query from the words of the last one and those "
        "marked.",
    ),
    "judge": (
        "`judge.onnx` began as the same and has learned nothing yet.",
        "`judge.onnx` began as the same and learned to read a question, what is known and a passage together.",
    ),
}


def card(about: Mapping[str, Any], precision: str) -> str:
    """The card of an encoder, from what its training was told."""
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


def licences(sources: Iterable[str]) -> list[str]:
    """The sets that files come from, each once with its licence; of other files it says that theirs is not known here.

    Examples:
        >>> from multihop.training.card import licences
        >>> licences(["squad.train.jsonl.gz", "squad_unanswerable.train.jsonl.gz", "mine.jsonl"])
        ['SQuAD (CC BY-SA 4.0)', 'mine.jsonl (see where it comes from)']
    """
    named = {}
    for source in sources:
        name = source.removesuffix(EARLIER)
        if name.endswith((".gz", ".jsonl", ".json", ".csv", ".tsv", ".parquet")) or "/" in name:
            title, licence = _SETS.get(name.split(".")[0].split("_")[0], (name, "see where it comes from"))
            named[title] = f"{title} ({licence})"
    return list(named.values())
