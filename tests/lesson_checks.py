"""Checks that every set of demonstrations must pass, whatever it was made from; each names what breaks it."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

import multihop.signatures
from multihop import BM25, Little, open_questions
from multihop.data import gather_passages
from multihop.data.gold import read_gold
from multihop.data.gold.whole_words import as_written, unaccented
from multihop.optimize.prompts.makers.scene import set_scenes
from multihop.optimize.prompts.steps import MAKERS, make_pool

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL = ("hotpotqa", "2wikimultihopqa", "musique")
COUNTS = (1, 3, 5, 15)
BALANCED_FROM = 3
"""Demonstrations from which on no class may be more than this share of them."""
MOST = 0.7
FROM_MEMORY = {"AnswerQuestion", "AnswerStepFromMemory", "AnswerOwnQuestion", "JudgeAnswer"}
"""Steps that are to say what no input says."""
ALWAYS_ASKS = {"PlanSubQuestion", "NextSubQuestion", "ProposeSubQuestions", "ReflectOnActions"}
ALWAYS_ASKS |= {"CompletePath", "CompletePathAloud"}
"""Steps that are asked only where something is missing."""
NOTES = ("history", "notes", "pathway", "thoughts")
NO_INFORMATION = "no information"
_NAME = re.compile(r"(?<=[\w,;:)\"'’”] )[A-Z][\w'’.-]*\w|(?<!#)\b\d[\d.,-]*\d|(?<!#)\b\d\b")
"""A word that is a name by its capital, not at the start of a sentence, or a number."""
_NOTE = re.compile(r"(?!search: |finish: ).* -> ")
OURS = {"Search", "#1", "#2", "#3"}
QUESTION_WORDS = {"What", "Which", "Who", "Whom", "Whose", "When", "Where", "How"}
QUESTION_WORDS |= {"In", "On", "At", "To", "For", "From", "After", "Into", "By", "With", "The", "So", "Next", "Still"}
"""Words with a capital that are the makers' own, and those that begin a question after a colon."""


def available(name):
    """True if the set is here: the little encyclopedia always, the real ones where their files are."""
    return name == "little" or (DATA / f"{name}.train.jsonl.gz").exists()


class Lessons:
    """A set's training questions, indexed and read once."""

    def __init__(self, name, most=None):
        self.name = name
        if name == "little":
            self.questions, pages = list(Little().questions()), list(Little().passages())
        else:
            self.questions = list(open_questions(DATA / f"{name}.train.jsonl.gz"))
            if most is not None:
                self.questions = random.Random(0).sample(self.questions, most)
            pages = list(gather_passages(self.questions))
        paths = read_gold(self.questions, pages).paths
        self.scenes = {scene.path.question.id: scene for scene in set_scenes(paths, BM25.build(pages))}
        self._pools, self._known = {}, {}

    def pool(self, name, questions, *, chain=False):
        """The examples of a signature from some of the questions; what was made before is not made again."""
        if (name, chain) not in self._pools:
            scenes = [replace(scene, chain=chain) for scene in self.scenes.values()]
            self._pools[name, chain] = make_pool(MAKERS[name], getattr(multihop.signatures, name), scenes)
        whole, wanted = self._pools[name, chain], {question.id for question in questions}
        return type(whole)(
            tuple(example for example in whole.examples if example.question in wanted), whole.decisions, whole.optional
        )

    def problems(self, name, pool, demos):
        """Everything that is wrong with the demonstrations of a step, each in a few words."""
        examples = {id(example.shown): example for example in pool.examples}
        chosen = [examples[id(demo)] for demo in demos]
        found = [
            f"question: two from {each}" for each, count in Counter(e.question for e in chosen).items() if count > 1
        ]
        for field, share in shares(name, demos).items():
            if len(demos) >= BALANCED_FROM and share > MOST:
                found.append(f"balance: {share:.0%} of {field} alike")
        return [*found, *(each for example in chosen for each in self._alone(name, example))]

    def _alone(self, name, example):
        """The faults of one demonstration; what was looked at before is not looked at again."""
        key = name, id(example.shown)
        if key not in self._known:
            scene = self.scenes[example.question]
            wrong = *wrong_types(name, example.shown), *leaks(name, example.shown, scene)
            self._known[key] = [*wrong, *not_in_inputs(name, example.shown, scene)]
        return self._known[key]


def shares(name, demos):
    """The largest share of one class for each output that decides something."""
    classes = [decided(name, demo) for demo in demos]
    fields = classes[0] if classes else {}
    return {field: max(Counter(each[field] for each in classes).values()) / len(classes) for field in fields}


def decided(name, demo):
    """The classes of a demonstration: its verdicts, its action, its score's level, whether there is anything to say."""
    found = {}
    for field, value in demo.labels().items():
        if isinstance(value, bool) or field == "action":
            found[field] = value
        elif field == "score":
            found[field] = "low" if int(value) <= 3 else "high" if int(value) >= 8 else "middle"
        elif field == "sentence":
            found[field] = value != NO_INFORMATION
        elif name in ("SummarizePassages", "WriteEvidence") and field == "summary":
            found[field] = bool(value) and not value.startswith("Nothing")
        elif field == "actions":
            found[field] = any(action.startswith("finish") for action in value)
    return found


def wrong_types(name, demo) -> Iterator[str]:
    signature = getattr(multihop.signatures, name)
    if set(demo.keys()) != set(signature.fields):
        yield f"fields: {sorted(set(demo.keys()) ^ set(signature.fields))}"
    for field, value in demo.items():
        try:
            TypeAdapter(signature.fields[field].annotation).validate_python(value, strict=True)
        except ValidationError:
            yield f"type: {field} is {value!r}"


def texts_of(values) -> list[str]:
    return [str(text) for value in values for text in (value if isinstance(value, list) else [value])]


def answers_of(scene):
    """The accepted answers that a text can give away."""
    return [answer for answer in scene.path.question.answers if answer.lower() not in ("yes", "no")]


def leaks(name, demo, scene) -> Iterator[str]:
    """The final answer in an output and in no input; in the notes of a state in which something is still missing."""
    inputs, outputs = texts_of(demo.inputs().values()), demo.labels().toDict()
    for answer in answers_of(scene) if name not in FROM_MEMORY else ():
        if any(as_written(text, answer) for text in inputs):
            continue
        for field, value in outputs.items():
            if any(as_written(text, answer) for text in texts_of([value])):
                yield f"leak: {field} says '{answer}', no input does"
    partial = outputs.get("enough") is False or outputs.get("action") == "search" or name in ALWAYS_ASKS
    if partial and name not in ("JudgePath", "JudgePathAloud", "ReviewPath", "ReviewPathAloud"):
        shown = [(field, text) for field in NOTES for text in texts_of([demo.inputs().get(field, [])])]
        notes = [text for field, text in shown if field == "thoughts" or _NOTE.match(text)]
        for answer in answers_of(scene):
            if not as_written(scene.question, answer) and any(as_written(note, answer) for note in notes):
                yield f"history: '{answer}' is in the notes of a state that is not enough"


def not_in_inputs(name, demo, scene) -> Iterator[str]:
    """Yields what is to be copied and is not there: answers, sentences, marked words, names and numbers."""
    inputs, outputs = texts_of(demo.inputs().values()), demo.labels().toDict()
    for field in ("answer", "sub_answer", "sentence", "marked", "sub_answers", "candidates"):
        for text in texts_of([outputs.get(field, [])]) if name not in FROM_MEMORY else ():
            copied = text and text.lower() not in ("yes", "no", NO_INFORMATION)
            if copied and not any(as_written(each, text) for each in inputs):
                yield f"copy: {field} is '{text}', no input holds it"
    if name in FROM_MEMORY or name in ("CompletePath", "CompletePathAloud", "ProposeThoughts"):
        return
    shown = unaccented(" ".join(inputs)).casefold()
    for field, value in outputs.items():
        for text in texts_of([value]):
            for word in _NAME.findall(text):
                bare = unaccented(word).casefold().strip(".").removesuffix("'s")
                if field != "score" and word not in OURS | QUESTION_WORDS and bare not in shown:
                    yield f"name: {field} says '{word}', no input does"
