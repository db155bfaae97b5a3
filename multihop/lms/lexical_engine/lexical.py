"""An LM that only reads: it answers from its prompt by word overlap, the floor every real model should clear."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...base import InputError
from ...base.english import content_words
from ..engine import Engine, as_lm
from ..known_outputs import fillable_output, harmless
from ..prompt import Prompt
from .answer_span import AnswerSpan, best_spans, names
from .comparison import choose, yes_or_no
from .follow_up import full_question
from .overlap import PassageReading, Sentence
from .question_form import is_yes_or_no, options

if TYPE_CHECKING:
    import dspy

# The values that best separate the two kinds of training paragraphs, gold and distracting.
_ENOUGH = 0.75
_RELEVANT = 0.45
CANDIDATES = 3
# A text input this long holds something to read, whatever its name.
_LONG_TEXT = 80
_TEXT_INPUTS = frozenset({"passage", "paragraph", "context", "notes", "summary"})
# Lists that hold nothing to read.
_ASKED_INPUTS = ("asked", "thoughts")
# Lists of "what was asked -> what came of it".
_NOTED_INPUTS = ("history", "notes", "pathway")


class Lexical(Engine):
    """The engine behind `lexical`: a function of `ROLES` fills each output field."""

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field."""
        page = LexicalPage(prompt)
        fields = prompt.output_fields
        return {field.name: harmless(ROLES[fillable_output(field, "lexical")](page)) for field in fields}


class LexicalPage:
    """A prompt as the lexical LM sees it: a question, and whatever inputs hold passages."""

    def __init__(self, prompt: Prompt) -> None:
        question = prompt.inputs.get("question")
        if not isinstance(question, str):
            raise InputError(f"the lexical LM needs an input `question`; this prompt has {sorted(prompt.inputs)}.")
        self.question = question
        self.prompt = prompt
        self.passages: list[str] = []
        self.texts: list[str] = []
        """The passages that came each in an input of its own, such as `paragraph`."""
        for name, value in prompt.inputs.items():
            if isinstance(value, list) and name in _NOTED_INPUTS:
                self.passages.extend(str(item).rpartition(" -> ")[2] for item in value)
            elif isinstance(value, list) and name not in _ASKED_INPUTS:
                self.passages.extend(str(item) for item in value)
            elif isinstance(value, str) and name != "question" and (name in _TEXT_INPUTS or len(value) >= _LONG_TEXT):
                self.texts.append(value)
        self.passages.extend(self.texts)

    @property
    def asked_before(self) -> set[str]:
        """The earlier questions and thoughts."""
        inputs = self.prompt.inputs
        questions = {str(item).rpartition(" -> ")[0] for name in _NOTED_INPUTS for item in inputs.get(name) or ()}
        return questions | {str(item) for name in _ASKED_INPUTS for item in inputs.get(name) or ()}

    @cached_property
    def step(self) -> "LexicalPage":
        """The same passages under the sub-question, where there is one."""
        sub_question = self.prompt.inputs.get("sub_question")
        if not isinstance(sub_question, str):
            return self
        return LexicalPage(self.prompt._replace(inputs={**self.prompt.inputs, "question": sub_question}))

    @cached_property
    def reading(self) -> PassageReading:
        """The question laid over the passages."""
        return PassageReading(self.question, self.passages)

    @cached_property
    def best_sentences(self) -> list[Sentence]:
        """The sentences, those that share most with the question first."""
        return sorted(self.reading.sentences, key=self.reading.overlap, reverse=True)

    @cached_property
    def best_span(self) -> AnswerSpan | None:
        """The best short span, for questions that are neither yes or no nor a choice of two."""
        return next(iter(best_spans(self.reading)), None)

    @cached_property
    def coverage(self) -> float:
        """The share of the question's words that the passages hold."""
        return self.reading.coverage(self.reading.question_words) if self.passages else 0.0


def _answer(page: LexicalPage) -> str:
    """The short answer: yes or no, one of two, or a date, number, place or name as the question asks."""
    pair = options(page.question)
    if not page.passages:
        spans = [match[0] for match in names(page.question)]
        if is_yes_or_no(page.question):
            return "yes"
        return pair[0] if pair else spans[-1] if spans else "unknown"
    if is_yes_or_no(page.question):
        return yes_or_no(page.reading)
    if pair:
        return choose(page.reading, pair)
    return page.best_span.text if page.best_span else "unknown"


def _reasoning(page: LexicalPage) -> str:
    """The sentence the answer rests on, quoted."""
    sentence = _grounds(page)
    if sentence is None:
        return "No passage is given, so this is a guess from the question alone."
    return f'The passages say: "{sentence.text}"'


def _grounds(page: LexicalPage) -> Sentence | None:
    if page.passages and not is_yes_or_no(page.question) and not options(page.question) and page.best_span:
        return page.best_span.sentence
    return page.best_sentences[0] if page.passages and page.best_sentences else None


def _relevant(page: LexicalPage) -> bool:
    """True if the paragraph (or all the passages) shares much with the question, or is named by another passage."""
    judged = PassageReading(page.question, page.texts or page.passages)
    last = len(page.passages) - 1
    linked = bool(page.texts) and page.reading.named_by_another(last)
    return linked or judged.coverage(judged.question_words) >= _RELEVANT


def _enough(page: LexicalPage) -> bool:
    """True if most of the question's words are in the passages."""
    return page.coverage >= _ENOUGH


def _query(page: LexicalPage) -> str:
    """The question, and the names the passages add to it."""
    words = set(page.reading.question_words)
    added: dict[str, None] = {}
    for sentence in page.best_sentences[:3]:
        for match in names(sentence.text):
            if not words.issuperset(content_words(match[0])):
                added[match[0]] = None
    return " ".join([page.question, *list(added)[:4]])


def _thought(page: LexicalPage) -> str:
    """The sentence that shares most with the question among those not thought yet."""
    earlier = page.asked_before
    return next((each.text for each in page.best_sentences if each.text not in earlier), page.question)


def _sub_question(page: LexicalPage) -> str:
    """The query, with other names where that was asked before."""
    wordings = [_query(page)]
    wordings += [f"{page.question} {match[0]}" for each in page.best_sentences[:3] for match in names(each.text)]
    return next((wording for wording in wordings if wording not in page.asked_before), wordings[0])


def _sub_questions(page: LexicalPage) -> list[str]:
    """The question, every name in it by itself, and the query; nothing that was asked before."""
    in_question = [match[0] for match in names(page.question) if content_words(match[0])]
    parts = dict.fromkeys([page.question, *in_question, _query(page)])
    return [part for part in parts if part not in page.asked_before]


def _answerable(page: LexicalPage) -> bool:
    """True if the passages hold much of the sub-question."""
    return page.step.coverage >= _RELEVANT


def _candidates(page: LexicalPage) -> list[str]:
    """The answer, and the other one of two, or the next best span."""
    pair = options(page.question)
    others = ["no", "yes"] if is_yes_or_no(page.question) else list(pair or ())
    if not others and page.passages:
        others = [span.text for span in best_spans(page.reading)]
    return list(dict.fromkeys([_answer(page), *others]))[:CANDIDATES]


def _valid(page: LexicalPage) -> bool:
    """True if the texts hold much of the question and the candidate."""
    candidate = str(page.prompt.inputs.get("candidate", ""))
    words = [*page.reading.question_words, *content_words(candidate)]
    return bool(page.passages) and page.reading.coverage(words) >= _RELEVANT


def _first_better(page: LexicalPage) -> bool:
    """True if the first account holds at least as much of the question as the second."""
    first, second = (
        PassageReading(page.question, [str(page.prompt.inputs.get(name, ""))]) for name in ("first", "second")
    )
    return first.coverage(first.question_words) >= second.coverage(second.question_words)


def _summary(page: LexicalPage) -> str:
    """The sentences that share most with the question, in their order."""
    sentences = sorted(page.best_sentences[:3], key=lambda sentence: (sentence.passage, sentence.place))
    return " ".join(sentence.text for sentence in sentences) or "Nothing is given to read."


def _score(page: LexicalPage) -> str:
    """From 0 to 10: how much of the question the passages cover."""
    return f"{10 * page.coverage:.1f}"


def _sentence(page: LexicalPage) -> str:
    """The sentence the answer to the sub-question rests on."""
    sentence = _grounds(page.step)
    return sentence.text if sentence else "no information"


def _result(page: LexicalPage) -> str:
    """The answer to the sub-question with its sentence, where the passages hold much of it."""
    return f"{_answer(page.step)} ({_sentence(page)})" if page.passages and _answerable(page) else ""


def _actions(page: LexicalPage) -> list[str]:
    """To finish, where most of the question is covered, and to search for every sub-question."""
    finish = [f"finish: {_answer(page)}"] if _enough(page) else []
    return [*finish, *(f"search: {each}" for each in _sub_questions(page))]


def _thoughts(page: LexicalPage) -> list[str]:
    """The answer, where most of the question is covered, and the sentences that share most with it, each once."""
    arrived = [f"So the answer is {_answer(page)}."] if _enough(page) else []
    earlier = {str(item) for item in page.prompt.inputs.get("history") or ()}
    sentences = [each.text for each in page.best_sentences if each.text not in earlier]
    return list(dict.fromkeys([*arrived, *(sentences or [page.question])]))


def _full_question(page: LexicalPage) -> str:
    """The question with names of the conversation for its pronouns."""
    return full_question([str(each) for each in page.prompt.inputs.get("conversation") or ()], page.question)


ROLES: dict[str, Callable[[LexicalPage], Any]] = {
    "answer": _answer,
    "reasoning": _reasoning,
    "relevant": _relevant,
    "enough": _enough,
    "query": _query,
    "information": _query,
    "sub_question": _sub_question,
    "sub_questions": _sub_questions,
    "sub_answer": lambda page: _answer(page.step),
    "answerable": _answerable,
    "thought": _thought,
    "action": lambda page: "finish" if _enough(page) else "search",
    "candidates": _candidates,
    "valid": _valid,
    "first_better": _first_better,
    "analysis": _summary,
    "summary": _summary,
    "score": _score,
    "sentence": _sentence,
    "result": _result,
    "actions": _actions,
    "thoughts": _thoughts,
    "full_question": _full_question,
    "reflection": lambda page: f"These passages do not answer it: {_summary(page)}",
}
"""The function that fills each known output."""


def lexical(**options: Any) -> "dspy.LM":
    """The LM of word overlap: no weights, no key, no gold, the same answer every time.

    It reads the input `question` and every input that holds passages (lists, and texts longer than a line), and fills
    the outputs of `known_outputs.py`. Options go to `dspy.LM`.

    Examples:
        >>> import dspy
        >>> from multihop.lms import lexical
        >>> with dspy.context(lm=lexical()):
        ...     read = dspy.ChainOfThought("passages: list[str], question -> answer")
        ...     said = read(passages=["Alien | Alien was directed by Ridley Scott."], question="Who directed Alien?")
        >>> said.answer, said.reasoning
        ('Ridley Scott', 'The passages say: "Alien was directed by Ridley Scott."')
    """
    return as_lm(Lexical(), "lexical@1", **options)
