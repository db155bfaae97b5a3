"""Examples of each step: whole, for one question of each set that tells its gold in its own way."""

import dspy
import pytest
from golden import check_picture
from two_hops import MUSIQUE

import multihop.signatures
from multihop import Program
from multihop.base.texts import as_json
from multihop.data.formats import read_hotpotqa, read_musique
from multihop.data.gold import read_gold
from multihop.data.record import Record
from multihop.optimize.gold_examples import GOLD_STEPS, make_pool, step_examples
from multihop.optimize.searched_path import search_paths
from multihop.retrieval import Hit, Passage
from multihop.runtime.adapters import lone_text, tuned_adapter

NOISE = [Passage(f"n{number}", f"Page {number}", f"It is about {number}.") for number in range(4)]
HOTPOT = {
    "_id": "h1",
    "question": "Where is the university in which Toad Hall is a hall?",
    "answer": "Canberra",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["Australian National University", 1], ["Toad Hall (ANU)", 0]],
    "context": [
        ["Australian National University", ["It has 20 halls.", " The university is in Canberra."]],
        ["Toad Hall (ANU)", ["Toad Hall is a hall of the Australian National University.", " It opened in 1974."]],
    ],
}
QUESTIONS = {
    "musique": read_musique(Record(MUSIQUE, "example")),
    "hotpotqa": read_hotpotqa(Record(HOTPOT, "example")),
}


class Finds:
    """Finds the same for whatever is searched for."""

    def __init__(self, pages=NOISE):
        self.pages = pages

    def search(self, queries, k):
        return [[Hit(page, 1.0) for page in self.pages[:k]] for _ in queries]


def scenes(name="musique", retriever=None, **more):
    aside = next(other for other in QUESTIONS if other != name)
    paths = read_gold([QUESTIONS[name], QUESTIONS[aside]], ()).paths
    return search_paths(paths, retriever or Finds(), **more)


def pool(step, name="musique", **more):
    return make_pool(GOLD_STEPS[step], getattr(multihop.signatures, step), scenes(name, **more)[:1])


def shown(step, name, **more):
    """An example of each decision as two lines: what the step is told beside the question, and what it answers."""
    for example in {example.kind: example for example in pool(step, name, **more).examples}.values():
        told = {field: value for field, value in example.shown.inputs().items() if field != "question"}
        yield f"  {example.kind}: {as_json(told)}"
        yield f"    -> {as_json(dict(example.shown.labels()))}"


def distinct():
    """The steps without those that have another's maker and its fields."""
    return {
        (id(maker), *getattr(multihop.signatures, step).fields): step for step, maker in GOLD_STEPS.items()
    }.values()


@pytest.mark.parametrize("name", ["musique", "hotpotqa"])  # with sub-questions in the gold, and without
def test_each_step_is_shown_what_it_should_answer(name):
    """The whole examples, of a retriever that also finds the last gold page."""
    finds = Finds([*NOISE[:3], *QUESTIONS[name].passages[-1:]])
    examples = {step: [*shown(step, name, retriever=finds)] for step in distinct()}
    if name == "musique":
        chained = ("ReviewPath", "ReadEvidence")
        examples |= {f"{step} of a chain": [*shown(step, name, chain=True)] for step in chained}
    text = [line for step, lines in examples.items() if lines for line in (f"{step}:", *lines)]
    check_picture(f"step-examples-{name}", "\n".join(text))


@pytest.mark.parametrize("lm", ["server/x", "openai/x"])
def test_what_an_lm_learns_to_write_is_read_as_the_very_answer(lm):
    adapter = tuned_adapter(lm)
    for step in distinct():
        signature = getattr(multihop.signatures, step)
        for example in pool(step).examples:
            told, said = example.shown.inputs().toDict(), example.shown.labels().toDict()
            row = adapter.format_finetune_data(signature, [], told, said)["messages"]
            if not row[-1]["content"]:
                continue  # no LM can be asked for nothing
            assert row[:-1] == adapter.format(signature, [], told)
            read = adapter.parse(signature, row[-1]["content"])
            assert {**read, **({"score": str(read["score"])} if "score" in read else {})} == said
            assert "\n" not in row[-1]["content"] or "openai" in lm or lone_text(signature)


@pytest.mark.parametrize("step", ["ReviewPath", "AnswerQuestion", "CompareCandidates"])
def test_a_step_is_known_by_its_class_whatever_its_instructions_are_and_after_loading(step):
    signature = getattr(multihop.signatures, step)

    class Alone(Program):
        retrieves = False

        def set_up(self):
            self.do = dspy.Predict(signature)
            self.aloud = dspy.ChainOfThought(signature)

    program = Alone()
    for predictor in program.predictors():
        predictor.signature = predictor.signature.with_instructions("Do it.")
    program.load_state(program.dump_state())
    staged = scenes()
    made = step_examples(program, staged)
    wanted = [example.shown.toDict() for example in make_pool(GOLD_STEPS[step], signature, staged).examples]
    assert wanted
    assert [example.shown.toDict() for example in made["do"].examples] == wanted
    aloud = [example.shown.toDict() for example in made["aloud.predict"].examples]
    assert all(each.pop("reasoning") for each in aloud)
    assert aloud == wanted
