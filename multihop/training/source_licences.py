"""The set that a training file comes from, and the licence of its questions."""

from collections.abc import Iterable

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
"""By the first word of the file's name."""


def licences(sources: Iterable[str]) -> list[str]:
    """The sets that files come from, each once with its licence; of other files it says that theirs is not known here.

    Examples:
        >>> from multihop.training.source_licences import licences
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
