"""What a tuned model learns from: the right decisions of a program's steps, of gold or of a run.

`Lessons` are guarded, drawn, and told in a line; `decisions_of_run` reads a step's calls, their passages in full.
"""

import asyncio
import copy
import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import dspy
import ujson

from ..base import InputError, MismatchError, check_known
from ..base.english import normal_form
from ..base.texts import say_count
from ..data import Question
from ..data.names_in_text import as_written
from ..evaluation import open_run
from ..evaluation.journal import read_header
from ..evaluation.row import Row
from ..retrieval import Passage
from ..runtime import Decision, Program, render, run_in_background, searches
from ..runtime.steps import each_step
from ..signatures import AnswerFromPassages
from ..signatures.step_signature import origin_of
from .demonstrations import predictors_by_step
from .gold_examples import passages_named, searched_gold, step_examples
from .searched_path import SearchedPath

MISSED = 0.1
"""The share of questions whose rows lack a gold passage without the answer, where gold and not a search puts passages
together."""
SPARE = 5
"""Of so many questions one more is searched for than rows are wanted."""
AT_ONCE = 32
"""Questions that are searched for at once."""
SHOWN = "'title | text'"
"""The words with which the description of a field says that it shows passages."""


def unseen(train: Iterable[Question], held: Iterable[Question]) -> list[Question]:
    """The training questions that are none of those held back: by wording, or by id where an answer is the same too.

    Two files may both count their questions from 1.
    """
    known = set[str]()
    for question in held:
        known |= {normal_form(question.question), *_marks(question)}
    return [each for each in train if known.isdisjoint({normal_form(each.question), *_marks(each)})]


def _marks(question: Question) -> list[str]:
    return [f"{question.id}: {normal_form(answer)}" for answer in question.answers]


@dataclass
class Lessons:
    """The right decisions of a program's steps, as they are gathered, by the id of their question."""

    program: Program
    questions: Sequence[Question]
    """What is learned from, with gold; none of it may be a question to judge by, see `unseen`."""
    steps: Sequence[str]
    """The steps that learn."""
    seed: int = 0
    most: int | None = None
    """Rows at most."""
    tell: Callable[[str], None] = lambda line: None
    """Called with a line for what cannot be learned from, and for what is."""
    shown: dict[str, list[str]] = field(default_factory=dict)
    """The passages that a reader which is the only step is shown, by question, as far as they were searched for."""
    decisions: dict[str, list[Decision]] = field(default_factory=lambda: defaultdict(list))

    def add_gold(self) -> None:
        """What gold says is right at each step; a reader that is the only step is shown what its search finds."""
        if reads_alone(self.program):
            self._add_readings()
            return
        searched = searched_gold(self.program, self.questions, wide=True, seed=self.seed, tell=self.tell)
        paths = {path.path.question.id: path for path in searched}
        for name, pool in step_examples(self.program, list(paths.values())).items():
            step = name.partition(".")[0]
            for example in pool.examples if step in self.steps else ():
                inputs, outputs = example.shown.inputs().toDict(), example.shown.labels().toDict()
                if "answer" in outputs and "passages" in inputs:
                    path = paths[example.question]
                    inputs["passages"] = self._as_found(path, inputs["passages"], outputs["answer"])
                self.decisions[example.question].append(Decision(step, inputs, outputs))

    def add_run(self, run: str | os.PathLike[str], program: Program, **which: Any) -> int:
        """Add the decisions of a finished run; returns the number of answered questions."""
        count, decisions = decisions_of_run(run, program, *self.steps, **which)
        for name, found in decisions.items():
            self.decisions[name] += found
        return count

    def _add_readings(self) -> None:
        (step,) = self.program.steps
        asked = [question for question in self.questions if question.answers]
        if self.most is not None and len(asked) > (enough := self.most + self.most // SPARE):
            asked = random.Random(self.seed).sample(asked, enough)  # a search may take long
        if missing := [text for text in dict.fromkeys(each.question for each in asked) if text not in self.shown]:
            self.tell(f"searching for what the step '{step}' is shown of {say_count(len(missing), 'question')}")
            self.shown |= run_in_background(_passages_shown(self.program, missing))
        for question in asked:
            if row := self._reading(question, self.shown[question.question]):
                inputs = {"passages": row[1], "question": question.question}
                self.decisions[question.id].append(Decision(step, inputs, {"answer": row[0]}))
        if without := len(asked) - len(self.decisions):
            self.tell(f"{without:,} of {len(asked):,} questions are left out: no passage says their answer")

    def _as_found(self, path: SearchedPath, passages: list[str], answer: str) -> list[str]:
        """The passages, of some questions without a gold one that does not hold the answer: searches miss such."""
        if random.Random(f"{self.seed} {path.path.question.id}").random() >= MISSED:
            return passages
        spare = [text for text in map(str, path.path.passages) if not path.can_read(answer, [text])]
        return [text for text in passages if text not in spare[:1]]

    def _reading(self, question: Question, shown: list[str]) -> tuple[str, list[str]] | None:
        """The answer in its short form and the passages as ranked; gold takes the places of some that do not help.

        None where nothing says the answer.
        """
        gold = self._gold_texts[question.id]
        holders = [text for text in gold if any(as_written(text, each) for each in question.answers)] or gold
        if gold and not set(holders).intersection(shown):
            missing = [*holders, *(text for text in gold if text not in shown and text not in holders)]
            places = [place for place, text in enumerate(shown) if text not in gold] or [len(shown) - 1]
            random.Random(f"{self.seed} {question.id}").shuffle(places)
            shown = list(shown) or missing[:1]
            for place, text in zip(places, missing, strict=False):
                shown[place] = text
        texts = [text for text in shown if text in holders] if gold else shown
        written = (each for each in question.answers if any(as_written(text, each) for text in texts))
        answer = next(written, question.answer if gold else "")
        return (answer, shown) if answer else None

    @cached_property
    def _gold_texts(self) -> dict[str, list[str]]:
        """The supporting passages of each question as prompts show them, as far as they are known."""
        own = {question.id: {page.id: page for page in question.passages} for question in self.questions}
        needed = {name for each in self.questions for name in each.supporting if name not in own[each.id]}
        known = passages_named(self.program.retriever, needed)
        found: dict[str, list[Passage | None]] = {
            each.id: [own[each.id].get(name) or known.get(name) for name in each.supporting] for each in self.questions
        }
        return defaultdict(list, {name: [str(page) for page in pages if page] for name, pages in found.items()})

    def drawn(self) -> list[Decision]:
        """The decisions to learn, no two alike, and a line about them told; of too many, as many as are wanted.

        These are spread over the steps. A step that gives the answer answers yes or no at most as often as the
        questions do.
        """
        verdicts = {each.id for each in self.questions if each.answer.lower() in ("yes", "no")}
        order = self._order(verdicts)
        found: dict[str, dict[str, tuple[str, Decision]]] = {step: {} for step in self.steps}
        for name in order:
            for each in self.decisions[name]:
                found[each.step].setdefault(ujson.dumps(each.inputs, sort_keys=True), (name, each))
        rows = {step: list(some.values()) for step, some in found.items() if some}
        for step, some in rows.items():
            others = [each for each in some if each[0] not in verdicts]
            if verdicts and others and all(each.outputs.get("answer") for _, each in some):
                most_verdicts = round(len(others) * len(verdicts) / (len(self.questions) - len(verdicts)))
                kept = {id(each) for each in [each for each in some if each[0] in verdicts][:most_verdicts]}
                rows[step] = [each for each in some if each[0] not in verdicts or id(each) in kept]
        left = sum(map(len, rows.values())) if self.most is None else self.most
        for place, step in enumerate(sorted(rows, key=lambda each: len(rows[each]))):
            rows[step] = rows[step][: left // (len(rows) - place)]
            left -= len(rows[step])
        self.tell(self._told(rows, verdicts))
        chosen = {id(decision) for some in rows.values() for _, decision in some}
        return [each for some in self.decisions.values() for each in some if id(each) in chosen]

    def _order(self, verdicts: set[str]) -> list[str]:
        """The questions in the order of choice: drawn, those that answer yes or no spread evenly among the others."""
        names = list(self.decisions)
        random.Random(self.seed).shuffle(names)
        place: dict[str, float] = {}
        for some in ([each for each in names if (each in verdicts) == is_one] for is_one in (True, False)):
            place |= {name: (number + 0.5) / len(some) for number, name in enumerate(some)}
        return sorted(names, key=lambda name: place[name])

    def _told(self, rows: dict[str, list[tuple[str, Decision]]], verdicts: set[str]) -> str:
        """The rows in a line."""
        counts = ", ".join(f"{step} {len(some):,}" for step, some in rows.items())
        line = f"{say_count(sum(map(len, rows.values())), 'row')}: {counts or 'none'}"
        answering = [(name, each) for some in rows.values() for name, each in some if each.outputs.get("answer")]
        notes = []
        if verdicts:
            said = sum(name in verdicts for name, _ in answering)
            share = f", and {said:,} of {len(answering):,} rows that answer" if answering else ""
            notes.append(f"{len(verdicts):,} of {len(self.questions):,} questions answer yes or no{share}")
        reading = [(self._gold_texts[name], each.inputs) for name, each in answering if "passages" in each.inputs]
        if lacking := sum(not set(gold) <= set(inputs["passages"]) for gold, inputs in reading):
            notes.append(f"{lacking:,} of {len(reading):,} rows that show passages lack a gold one")
        without = [step for step in self.steps if step not in rows]
        notes += [f"none of {', '.join(without)}"] if without and rows else []
        return line + (f" ({'; '.join(notes)})" if notes else "")


def reads_alone(program: Program) -> bool:
    """True if the program's only step reads the answer from passages, whatever finds them."""
    predictors = program.predictors()
    if len(predictors) != 1 or set(predictors[0].signature.fields) != set(AnswerFromPassages.fields):
        return False
    return issubclass(origin_of(predictors[0].signature), AnswerFromPassages)


async def _passages_shown(program: Program, questions: Sequence[str]) -> dict[str, list[str]]:
    """The passages that the program's one step is shown for each question; no LM is asked."""
    shown: dict[str, list[str]] = {}

    async def ask(predictor: Any, /, **inputs: Any) -> dspy.Prediction:
        shown[inputs["question"]] = render(list(inputs["passages"]))
        return dspy.Prediction(answer="")

    twin, gate = copy.copy(program), asyncio.Semaphore(AT_ONCE)
    twin.ask = ask  # type: ignore[method-assign]

    async def search(question: str) -> None:
        async with gate:
            await twin.acall(question=question)

    await asyncio.gather(*map(search, questions))
    return shown


def decisions_of_run(
    run: str | os.PathLike[str], program: Program, *steps: str, only_right: bool = False, limit: int | None = None
) -> tuple[int, dict[str, list[Decision]]]:
    """The number of answered questions, and by the id of each one that is kept the decisions of the steps.

    They are all calls of a step that gave an answer; of a search's planner those of the path that was chosen.
    """
    for step in steps:
        _check_maker(run, program, step)
    rows = [row for row in open_run(run).rows() if not row["error"]][:limit]
    if only_right and not any("em" in row["metrics"] for row in rows):
        raise InputError(f"{os.fspath(run)} did not measure 'em', so nobody knows which answers are right.")
    kept = [row for row in rows if not only_right or row["metrics"]["em"] == 1.0]
    if not kept:
        why = f"none of the {len(rows)} answers is right" if rows else "no question was answered"
        raise InputError(f"{os.fspath(run)}: {why}, so there is nothing to learn from.")
    known = passages_named(program.retriever, {name for row in kept for name in _found(row)})
    shown = set[str]()
    decisions = {
        row["id"]: [each for step in steps for each in _decisions(program, row, step, known, shown)] for row in kept
    }
    if shown and not isinstance(program.retriever, Iterable):
        raise InputError(
            f"{os.fspath(run)} names passages by their ids, and this retriever does not give its passages; take one "
            "over the corpus itself (on the command line, --corpus)."
        )
    if missing := shown - known.keys():
        raise MismatchError(
            f"{len(missing):,} of the {len(shown):,} passages that {os.fspath(run)} shows are not in this corpus, "
            f"such as '{min(missing)}'; take the one that was searched (on the command line, --corpus)."
        )
    return len(rows), decisions


def _check_maker(run: Any, program: Program, step: str) -> None:
    """Refuse a run of another program, or of a step with other fields."""
    made_by, predictors = read_header(run)["identity"]["program"], predictors_by_step(program)
    if made_by["name"] != program.name:
        raise MismatchError(f"{os.fspath(run)} is a run of '{made_by['name']}', not of '{program.name}'.")
    check_known(f"step of '{program.name}'", step, predictors)
    then = {name.partition(".")[0]: sorted(prompt["fields"]) for name, prompt in made_by["prompts"].items()}
    now = sorted(predictors[step].signature.fields)
    if then.get(step, now) != now:
        raise MismatchError(
            f"the step '{step}' of {os.fspath(run)} has the fields {', '.join(then[step])}, and here {', '.join(now)}; "
            "give the settings that the run was made with (--set NAME=VALUE)."
        )


def _found(row: Row) -> set[str]:
    """The ids of the passages that a question's searches found."""
    hits = {hit["id"] for each in searches(row["trajectory"]) for hit in each.get("hits", ())}
    return hits | {name for name, _ in row["passages"]}


def _decisions(program: Program, row: Row, step: str, known: Mapping[str, Passage], shown: set[str]) -> list[Decision]:
    """A row's decisions: a planner's on its path, other steps' calls; the ids of their passages go into `shown`."""
    if step == program.planner:
        names = [name for name, _ in row["passages"]]
        shown.update(names)
        passages = [known[name] for name in names if name in known]
        prediction = dspy.Prediction(answer=row["answer"], passages=passages, evidence=row["evidence"])
        path = program.decisions(row["question"], prediction)
        if path is not None:
            return path
    signature, found = predictors_by_step(program)[step].signature, _found(row)

    def text(name: str) -> str:
        shown.add(name)
        return str(known.get(name, ""))

    decisions = []
    for ask in each_step(row["trajectory"]):
        if ask["step"] != step or "inputs" not in ask or "outputs" not in ask:
            continue
        inputs = {name: value for name, value in ask["inputs"].items() if name in signature.input_fields}
        for name, value in inputs.items():
            if _are_ids(name, signature.input_fields[name], value, found):
                inputs[name] = [text(each) for each in value] if isinstance(value, list) else text(value)
        outputs = {name: value for name, value in ask["outputs"].items() if name in signature.output_fields}
        decisions.append(Decision(step, inputs, outputs))
    return decisions


def _are_ids(name: str, field: Any, value: Any, found: set[str]) -> bool:
    """True if a recorded value is of passages: of found ones, in a field that shows passages, or does not say what."""
    described = str((field.json_schema_extra or {}).get("desc", ""))
    if SHOWN not in described and described != f"${{{name}}}":
        return False
    members = value if isinstance(value, list) else [value]
    return bool(members) and all(isinstance(each, str) and each in found for each in members)
