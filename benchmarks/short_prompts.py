"""Forms of the prompt that reads an answer from passages, compared on training questions with a real LM.

    python benchmarks/short_prompts.py server/qwen2.5-coder-1.5b@http://localhost:8080/v1 --shared ../shared/data
    python benchmarks/short_prompts.py server/MODEL@ADDRESS --questions 30 --forms plain json

The passages are the five that `ranked-rag` reads with `local`, over the paragraphs of the training questions. Answers
are kept in a file, and the same command goes on from it.
"""

import argparse
import json
import random
from pathlib import Path

import dspy

from multihop import BM25, create, local, open_lm, open_questions
from multihop.evaluation.metrics import F1, ExactMatch
from multihop.runtime import PlainAdapter
from multihop.signatures import AnswerFromPassages

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
PASSAGES, QUESTION = "passages", "question"
SHOWN = 3
"""Answered questions of the same set that a form shows."""
LIST = "a name, a date, a number, yes or no"


def question_first():
    """The signature with the question before the passages."""
    fields = dict(AnswerFromPassages.fields)
    order = [QUESTION, PASSAGES, "answer"]
    return dspy.Signature(
        {name: (fields[name].annotation, fields[name]) for name in order}, AnswerFromPassages.instructions
    )


def told_of_kinds():
    """The signature whose instructions list what answers may be."""
    return AnswerFromPassages.with_instructions(
        "Answer the question from the passages. Where they leave a gap, fall back on what you know.\n\n"
        f"Give the shortest phrase that answers it: {LIST}."
    )


FORMS = {
    "plain": (AnswerFromPassages, PlainAdapter()),
    "plain, kinds of answers listed": (told_of_kinds(), PlainAdapter()),
    "plain, question first": (question_first(), PlainAdapter()),
    "plain, three shown": (AnswerFromPassages, PlainAdapter()),
    "plain, a thought before": (dspy.ChainOfThought(AnswerFromPassages).predict.signature, PlainAdapter()),
    "json": (AnswerFromPassages, dspy.JSONAdapter()),
    "json, kinds of answers listed": (told_of_kinds(), dspy.JSONAdapter()),
    "chat": (AnswerFromPassages, dspy.ChatAdapter(use_json_adapter_fallback=False)),
}


def main() -> None:
    """Ask, and print a line for each form."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lm")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--questions", type=int, default=20, help="of each set")
    parser.add_argument("--forms", nargs="+", choices=list(FORMS), default=list(FORMS))
    parser.add_argument("--to", type=Path, default=Path("runs/short-prompts.json"))
    given = parser.parse_args()
    if not given.shared.exists():
        raise SystemExit(f"{given.shared} is not there; --shared names the folder of the question sets")
    kept = json.loads(given.to.read_text()) if given.to.exists() else {}
    found = kept.setdefault("passages", {})
    asked = {name: questions(given.shared, name, given.questions) for name in SETS}
    shown = {name: questions(given.shared, name, given.questions + 20 + SHOWN)[-SHOWN:] for name in SETS}
    for name, some in [*asked.items(), *shown.items()]:
        missing = [question for question in some if question.id not in found]
        if missing:
            found |= passages(given.shared, name, missing)
            keep(given.to, kept)
    lm = open_lm(given.lm, max_tokens=200)
    for form in given.forms:
        signature, adapter = FORMS[form]
        answers = kept.setdefault(f"{lm.model}: {form}", {})
        for name, question in ((name, each) for name, some in asked.items() for each in some):
            if question.id not in answers:
                read = dspy.Predict(signature)
                if "shown" in form:
                    read.demos = [
                        dspy.Example(passages=found[each.id], question=each.question, answer=each.answers[0])
                        for each in shown[name]
                    ]
                with dspy.context(lm=lm, adapter=adapter):
                    try:
                        said = read(passages=found[question.id], question=question.question).answer
                    except dspy.utils.exceptions.AdapterParseError:
                        said = ""
                answers[question.id] = str(said)
                keep(given.to, kept)
        print(f"{lm.model}, {form}: {scores(asked, answers)}", flush=True)


def questions(shared: Path, name: str, count: int):
    """Some training questions of the set, drawn."""
    everyone = list(open_questions(shared / f"{name}.train.jsonl.gz"))
    random.Random(7).shuffle(everyone)
    return everyone[:count]


def passages(shared: Path, name: str, some):
    """For each question the five passages that are read, each as 'title | text'."""
    pages = {page.id: page for each in open_questions(shared / f"{name}.train.jsonl.gz") for page in each.passages}
    program = create("ranked-rag", BM25.build(pages.values()))
    with dspy.context(lm=local()):
        return {
            each.id: [f"{page.title} | {page.text}" for page in program(question=each.question).passages[:5]]
            for each in some
        }


def scores(asked, answers) -> str:
    """EM / F1 of each set and of all."""
    parts, all_of = [], []
    for name, some in asked.items():
        metrics = ExactMatch(), F1(rules=name)
        said = {each.id: dspy.Prediction(answer=answers[each.id]) for each in some}
        both = [[100 * metric(each, said[each.id]).score for metric in metrics] for each in some]
        all_of += both
        parts.append(f"{name} {mean(both)}")
    return ", ".join([*parts, f"all {mean(all_of)}"])


def mean(both) -> str:
    em, f1 = (sum(values) / len(both) for values in zip(*both, strict=True))
    return f"{em:.1f} / {f1:.1f}"


def keep(path: Path, kept) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
