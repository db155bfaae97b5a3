"""Who compiles: variants on dev questions, a study that resumes, one file at the end, and any optimizer of DSPy."""

import json
import re

import dspy
import pytest
from contract.commands import LITTLE, killed_once, lines, python

from multihop import BM25, Little, OneStep, compile_variants, load, local, save, scripted, with_demonstrations

QUESTION = "Which river flows through the city where Albert Einstein was born?"
STUDY = (*LITTLE, "--train", "little", "--dev", "little", "--train-limit", 4, "--dev-limit", 3)
VARIANTS = ("--variants", "zero-shot,labeled-1,bootstrapped")
LOAD = """
import sys
import dspy
from multihop import load, local
program = load(sys.argv[1])
with dspy.context(lm=local()):
    for question in sys.argv[2:]:
        print(program(question=question).answer)
"""


@pytest.fixture
def retriever():
    return BM25.build(Little().passages())


def gold_in_hand(prompt):
    """An LM that answers as gold says, if the question is one of the little encyclopedia's."""
    return {"answer": ANSWERS.get(prompt.inputs["question"], "unknown")}


ANSWERS = {question.question: question.answer for question in Little().questions()}


def test_three_variants_are_judged_and_the_best_is_one_file(multihop, here, retriever):
    said = multihop("compile", "one-step", *STUDY, *VARIANTS, "--to", "one.json")
    for name in ("zero-shot", "labeled-1", "bootstrapped"):
        assert re.search(rf"^ {name} +\d", said.out, re.M)
    assert "is saved in one.json" in said.out
    for name in ("zero-shot", "labeled-1", "bootstrapped"):
        rows = lines(here / "one.json.work" / "dev" / name / "questions.jsonl")
        assert len(rows) == 3
        assert {row["status"] for row in rows} == {"ok"}
    trained = {question.question for question in list(Little().questions())[:20]}  # the first half of one source
    (demo,) = load("one.json.work/variants/labeled-1.json", retriever).answer.demos
    assert demo["question"] in trained
    assert demo["answer"] == ANSWERS[demo["question"]]
    again = multihop("compile", "one-step", *STUDY, *VARIANTS, "--to", "one.json").out
    assert [line for line in again.splitlines() if "33" in line] == [
        line for line in said.out.splitlines() if "33" in line
    ]


@pytest.mark.seconds
def test_a_killed_study_goes_on_with_what_is_missing(multihop, here):
    asked = ("compile", "one-step", *LITTLE, "--train", "little", "--dev", "little", *VARIANTS, "--to", "one.json")
    dev = here / "one.json.work" / "dev"
    killed_once(lambda: len(lines(dev / "labeled-1" / "questions.jsonl")) >= 2, *asked)
    before = {path: path.read_bytes() for path in dev.rglob("questions.jsonl")}
    assert not (here / "one.json").exists()
    multihop(*asked)
    for path, text in before.items():
        whole = text[: text.rindex(b"\n") + 1]
        assert path.read_bytes().startswith(whole)
        ids = [row["id"] for row in lines(path)]
        assert len(set(ids)) == len(ids)
    assert (here / "one.json").exists()


@pytest.mark.seconds
def test_a_compiled_program_answers_alike_in_a_fresh_process(multihop, here):
    multihop("index", "little", "--to", "pages")
    study = ("-c", "pages", "--lm", "local", "--train", "little", "--dev", "little", "--train-limit", 4)
    multihop("compile", "one-step", *study, "--dev-limit", 3, "--variants", "labeled-1", "--to", "one.json")
    questions = [question.question for question in list(Little().questions())[:3]]
    with dspy.context(lm=local()):
        answers = [load("one.json")(question=question).answer for question in questions]
    assert python(LOAD, "one.json", *questions).splitlines() == answers
    said = multihop("ask", questions[0], "--program", "one.json", "--lm", "local", "--json").json
    assert said["answer"] == answers[0]


def test_the_file_is_text_without_code_and_shows_its_prompts(multihop, here, retriever):
    demos = {"answer": [{"passages": ["Ulm | Ulm is a city on the Danube."], "question": QUESTION, "answer": "Danube"}]}
    save(with_demonstrations(OneStep(retriever, k=4), demos), "one.json")
    state = json.loads((here / "one.json").read_text())
    assert state["answer"]["demos"][0]["answer"] == "Danube"
    assert multihop("show", "one.json").out.count("Danube") >= 1
    prompt = multihop("show", "one.json", "--prompt", "answer", "--question", "Where is Torun?").out
    assert "Ulm is a city on the Danube." in prompt
    assert "Where is Torun?" in prompt
    again = load("one.json", retriever)
    assert (type(again), again.k, again.answer.demos[0]["question"]) == (OneStep, 4, QUESTION)


def test_a_prompt_is_changed_by_its_signature_and_kept(here, retriever):
    program = OneStep(retriever)
    program.answer.signature = program.answer.signature.with_instructions("Answer in one word.")
    save(program, "one.json")
    seen = []

    def look(prompt):
        seen.append(prompt.instructions)
        return {"answer": "Danube"}

    with dspy.context(lm=scripted(look)):
        load("one.json", retriever)(question=QUESTION)
    assert seen == ["Answer in one word."]


def test_compiling_in_python_saves_the_variant_with_the_best_figure(here, retriever):
    train, dev = list(Little().questions("train"))[:6], list(Little().questions("dev"))[:6]

    def shown_helps(prompt):
        return gold_in_hand(prompt) if prompt.demonstrations else {"answer": "unknown"}

    with dspy.context(lm=scripted(shown_helps)):
        study = compile_variants(
            OneStep(retriever), ["zero-shot", "labeled-1"], train=train, dev=dev, to="one.json", corpus="little"
        )
    assert [outcome.variant for outcome in study.outcomes] == ["zero-shot", "labeled-1"]
    assert [outcome.f1["mean"] for outcome in study.outcomes] == [0.0, 1.0]
    assert len(load("one.json", retriever).answer.demos) == 1


def test_any_optimizer_and_evaluation_of_dspy_takes_a_program(here, retriever):
    examples = [question.to_example() for question in list(Little().questions("train"))[:4]]

    def right(example, prediction, trace=None):
        return float(prediction.answer == ANSWERS[example.question])

    with dspy.context(lm=scripted(gold_in_hand)):
        compiled = dspy.BootstrapFewShot(metric=right, max_bootstrapped_demos=2, max_labeled_demos=0).compile(
            OneStep(retriever), trainset=examples
        )
        assert [demo["answer"] for demo in compiled.answer.demos] == [
            ANSWERS[example.question] for example in examples[:2]
        ]
        score = dspy.Evaluate(devset=examples, metric=right, num_threads=2, display_progress=False)(compiled)
    assert score.score == 100.0
    compiled.save("state.json")
    again = OneStep(retriever)
    again.load("state.json")
    assert again.answer.demos[0]["question"] == examples[0].question


MINE = '''
import dspy

from multihop import Program
from multihop.signatures import AnswerFromPassages


class Once(Program):
    """Retrieves once."""

    k: int = 3
    """Passages."""

    def set_up(self):
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question):
        return await self.ask(self.answer, passages=await self.find(question, self.k), question=question)


def brief(example, prediction, trace=None):
    return float(len(prediction.answer.split()) <= 3)
'''


def test_a_program_of_ones_own_is_compiled_saved_and_loaded(multihop, here, retriever):
    (here / "mine.py").write_text(MINE)
    multihop("index", "little", "--to", "pages")
    study = ("--lm", "local", "--train", "little", "--dev", "little", "--train-limit", 4, "--dev-limit", 3)
    said = multihop(
        "compile",
        "mine:Once",
        *study,
        "-c",
        "pages",
        "--set",
        "k=2",
        "--variants",
        "zero-shot,labeled-1",
        "--to",
        "m.json",
    )
    assert "is saved in m.json" in said.out
    multihop("ask", QUESTION, "--program", "m.json", "--lm", "local", code=2)
    said = multihop("ask", QUESTION, "--program", "m.json", "--lm", "local", "--allow", "mine", "--json").json
    assert said["cost"]["calls"] == 1
    import mine

    again = load("m.json", retriever, program=mine.Once)
    assert (type(again), again.k) == (mine.Once, 2)
