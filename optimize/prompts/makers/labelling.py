"""The steps that label training data and judge answers: a question taken apart, words marked, words picked."""

import re
from collections.abc import Iterator

from ....data.gold.whole_words import occurrences
from .rephrasing import fact, keywords
from .scene import MadeStep, Maker, StagedQuestion

_WORD = re.compile(r"\w[\w'’.-]*\w|\w")


def numbered_splits(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The sub-questions with the numbers of earlier answers, one for each paragraph."""
    if len(scene.path.passages) != len(scene.hops) or not all(map(scene.asks_less, scene.hops)):
        return
    texts = []
    for hop in scene.hops:
        text = hop.sub_question
        for place in hop.needs:
            for start, end in reversed(occurrences(text, [scene.hops[place].answer])):
                text = f"{text[:start]}#{place + 1}{text[end:]}"
        if not scene.names_known(re.sub(r"#\d", "", text), map(str, scene.path.passages)):
            return
        texts.append(text)
    fields = {
        "paragraphs": [str(hop.passage) for hop in scene.hops],
        "question": scene.question,
        "answer": scene.answer,
        "sub_questions": texts,
        "sub_answers": [hop.answer for hop in scene.hops],
        "reasoning": " ".join(map(fact, scene.hops)),
    }
    yield MadeStep(fields, "a split")


def marked_paragraphs(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The words of the telling sentence that the sub-question asks about, and the answer."""
    for hop in scene.hops:
        names = [word for word in keywords(hop.sub_question).split() if len(word) > 2]
        spans = occurrences(hop.sentence, [*names, hop.answer])
        marked = [hop.sentence[start:end] for start, end in _apart(spans)]
        fields = {"paragraph": str(hop.passage), "sub_question": hop.sub_question, "sub_answer": hop.answer}
        yield MadeStep({**fields, "marked": marked, "reasoning": hop.sentence}, "marked words")


def _apart(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans without those that lie in an earlier one."""
    end = 0
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            yield start, stop
            end = stop


def picked_queries(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The words that the question still asks for, and the name that was found."""
    for hop in scene.hops:
        needed = [scene.hops[place] for place in hop.needs]
        if not needed or not scene.asks_less(hop):
            continue
        wanted = {word.lower() for word in _WORD.findall(keywords(hop.sub_question))}
        known = " ".join(each.answer for each in needed)
        picked = [word for word in _WORD.findall(scene.question) if word.lower() in wanted]
        names = [word for word in _WORD.findall(known) if word.lower() in wanted]
        if picked and names:
            query = " ".join([*picked, *names])
            fields = {"question": scene.question, "known": known, "query": query}
            yield MadeStep({**fields, "reasoning": f"Still asked: {hop.sub_question}"}, "a query")


def judged_answers(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The right answer in another spelling or as it is, and a wrong one of its kind."""
    accepted = list(scene.path.question.answers)
    spelled = next((each for each in accepted[1:] if each != scene.answer), scene.final)
    for answer, correct in ((spelled, True), (scene.rival, False)):
        reasoning = f"It {'says the same as' if correct else 'is none of'} the accepted answers."
        fields = {"question": scene.question, "accepted": accepted, "answer": answer, "correct": correct}
        yield MadeStep({**fields, "reasoning": reasoning}, "correct" if correct else "not correct")


MAKERS = {
    "DecomposeQuestion": Maker(("a split",), numbered_splits),
    "MarkWords": Maker(("marked words",), marked_paragraphs),
    "PickNextQuery": Maker(("a query",), picked_queries),
    "JudgeAnswer": Maker(("correct", "not correct"), judged_answers),
}
