"""The question sets that a study asks: those of its file, or others in their place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..base import InputError, unknown
from ..data import Question, Reading, open_questions
from ..data.little import LITTLE, is_little
from ..data.sources import check_source
from ..programs.shared.evidence import wording
from .experiment import Experiment, QuestionSet

Sources = Mapping[str | None, str]
"""Places of questions or passages, by the set's short name; under None, a place for all sets."""


def parse_sources(option: str, given: Sequence[str], sets: Mapping[str, QuestionSet]) -> Sources:
    """Sources written SOURCE or SET=SOURCE."""
    found: dict[str | None, str] = {}
    for each in given:
        name, equals, source = each.partition("=")
        if not equals:
            found[None] = each
        elif name not in sets:
            raise InputError(f"{option}: {unknown('question set of the experiment', name, sets)}")
        else:
            found[name] = source
    return found


def asked_sets(
    experiment: Experiment,
    *,
    questions: Sources | None = None,
    corpus: Sources | None = None,
    data: Path | None = None,
    rules: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
    sample: int | None = None,
    sample_seed: int | None = None,
) -> dict[str, QuestionSet]:
    """The set to ask in the place of each of the experiment's sets, by its short name.

    The options are those of `reproduce`. If one source is given for all sets, they become one set, which is asked once.
    """
    questions, corpus = questions or {}, corpus or {}
    chosen = {"limit": limit, "offset": offset, "sample": sample, "sample_seed": sample_seed}
    given: dict[str, Any] = {name: number for name, number in chosen.items() if number is not None}
    asked: dict[str, QuestionSet] = {}
    for name, each in experiment.sets.items():
        source = questions.get(name, questions.get(None))
        corpus_file, train_file = (stored and _in_folder(stored, data) for stored in (each.corpus, each.train))
        found = replace(each, questions=_in_folder(each.questions, data), corpus=corpus_file, train=train_file)
        if source is not None:
            found = replace(found, questions=source, corpus=None, train=None, size=None, skip_bad=0)
            if name not in questions:
                title = Path(source).name.partition(".")[0] or source
                found = replace(found, name=title, title=title, rules="hotpotqa", limit=None)
                found = replace(found, offset=0, sample=None, sample_seed=0)
            if is_little(source):  # which holds none of a paper's cases, but as many others
                found = replace(found, asking=(), limit=len(each.asking) or found.limit)
            else:
                check_source(source)
        passages = corpus.get(name, corpus.get(None))
        found = replace(found, corpus=passages if passages is not None else found.corpus, rules=rules or found.rules)
        asked[name] = replace(found, **given)
    return asked


def questions_asked(asked: QuestionSet) -> Reading[Question]:
    """The questions of a set's source; where the set names some by their words, these alone, in that order.

    Raises:
        InputError: The source cannot be read, or lacks one of them.
    """
    questions = open_questions(asked.questions, skip_bad=asked.skip_bad)
    if not asked.asking:
        return questions
    wanted = {wording(text): text for text in asked.asking}
    found = {wording(each.question): each for each in questions if wording(each.question) in wanted}
    for missing in (text for words, text in wanted.items() if words not in found):
        raise InputError(
            f"{asked.questions} has no question '{missing}'; give a file that has it with --questions, or ask "
            f"'{LITTLE}' to try without."
        )
    return Reading(lambda skipped: [found[words] for words in wanted], questions.name)


def _in_folder(source: str, data: Path | None) -> str:
    return str(data / source) if data is not None and (data / source).exists() else source
