import dspy
import pytest
from toys import evaluated

from multihop import InputError, Passage, scripted
from multihop.evaluation.journal import read_header
from multihop.retrieval import as_retriever

WHERE = "Where was the author of Emma born?"
ASKED = [
    {"id": "q1", "question": WHERE, "answer": "Steventon", "supporting": ["Emma", "Bath"]},
    dspy.Example(id="q2", question="Who wrote it?", answer="Steventon").with_inputs("question"),
]


def reply(prompt):
    known = {"query": "emma", "reasoning": "so", "answer": "Steventon"}
    return {field.name: known[field.name] for field in prompt.output_fields}


class Finder(dspy.Module):
    """Synchronous, with a predictor for each step, and passages as DSPy's retrievers give them."""

    def __init__(self):
        super().__init__()
        self.plan = dspy.Predict("question -> query")
        self.read = dspy.ChainOfThought("question, context -> answer")

    def forward(self, question):
        self.plan(question=question)
        context = ["Emma | A novel.", {"pid": 7, "title": "Rome", "long_text": "A city."}, Passage("p3", "", "Text.")]
        return dspy.Prediction(answer=self.read(question=question, context=context).answer, context=context)


class Awaited(dspy.Module):
    def __init__(self):
        super().__init__()
        self.read = dspy.Predict("question -> answer")

    async def aforward(self, question, style="short"):
        return await self.read.acall(question=question)


def run(module, **options):
    lm = scripted(options.pop("reply", reply))
    done = evaluated(lm, options.pop("questions", ASKED), program=module, **options)
    return done, {row["id"]: row for row in done.rows()}, lm


def test_a_synchronous_module_of_ones_own(tmp_path):
    done, rows, lm = run(Finder(), out=tmp_path, concurrency=2)
    assert done.summary["metrics"]["em"]["mean"] == 1.0
    row = rows["q1"]
    emma = as_retriever(lambda query, k: ["Emma | A novel."]).search(["q"], 1)[0][0].passage
    assert row["passages"] == [[emma.id, None], ["7", None], ["p3", None]]
    assert row["matched_by"] == "title"
    assert row["metrics"]["recall@5"] == 0.5
    assert row["cost"]["calls"] == 2
    assert row["cost"]["calls_by_role"] == {"plan": 1, "read.predict": 1}
    tokens = row["cost"]["tokens"]["multihop/scripted"]
    by_role = row["cost"]["tokens_by_role"]
    assert tokens["in"] == by_role["plan"]["in"] + by_role["read.predict"]["in"] > 0
    steps = {step["step"]: step["outputs"] for step in row["trajectory"]}
    assert steps == {"plan": {"query": "emma"}, "read.predict": {"reasoning": "so", "answer": "Steventon"}}
    assert row["trajectory"][1]["inputs"]["context"][2] == "p3"
    assert len(lm.engine.prompts) == 4
    identity = read_header(tmp_path)["identity"]
    assert (identity["program"]["name"], identity["program"]["settings"], identity["retriever"]) == ("Finder", {}, None)
    assert identity["lm"].keys() == identity["program"]["prompts"].keys() == {"plan", "read.predict"}
    _, _, again = run(Finder(), out=tmp_path)
    assert again.engine.prompts == []
    changed = Finder()
    changed.plan.demos = [dspy.Example(question="a", query="b")]
    with pytest.raises(InputError, match=r"program\.prompts\.plan\.demos"):
        run(changed, out=tmp_path)


class Holding(dspy.Module):
    """Returns the passages that it is made with, for all questions."""

    def __init__(self, *passages):
        super().__init__()
        self.held = list(passages)

    def forward(self, question):
        return dspy.Prediction(answer="Steventon", passages=self.held)


def test_passages_are_read_in_every_form_in_which_retrievers_give_them_and_what_is_none_is_named():
    document = {"document": {"id": "e", "title": "Emma", "text": "A novel."}, "score": 0.5}
    _, rows, _ = run(Holding(document, {"pid": "b", "long_text": "Bath | A town."}, ("Rome | A city.", 0.1), None))
    assert [identifier for identifier, _ in rows["q1"]["passages"]][:2] == ["e", "b"]
    assert rows["q1"]["metrics"]["recall@5"] == 1.0
    _, rows, _ = run(Holding(7))
    assert rows["q1"]["error"]["message"].startswith("Holding returned the int 7 as a hit; a hit is a Hit, a Passage")


def test_what_fails_is_a_row_with_what_it_cost():
    def broken(prompt):
        return reply(prompt) if "query" in {field.name for field in prompt.output_fields} else "no fields at all"

    done, rows, _ = run(Finder(), reply=broken)
    assert done.summary["n_error"] == 2
    row = rows["q1"]
    assert row["error"]["type"] == "AdapterParseError"
    assert row["cost"]["calls_by_role"]["plan"] == 1
    assert row["cost"]["calls_by_role"]["read.predict"] >= 1
    assert row["cost"]["parse_failures"] >= 1
    assert row["trajectory"][-1]["error"] == "AdapterParseError"


def test_what_returns_no_answer_says_what_it_has():
    class Wordy(dspy.Module):
        def forward(self, question):
            return f"the answer to {question}"

    _, rows, _ = run(dspy.Predict("question -> query"))
    said = "Predict returned no 'answer'; its fields are query."
    assert rows["q1"]["error"] == {"type": "InputError", "message": said}
    _, rows, _ = run(Wordy())
    assert rows["q1"]["error"]["message"] == "Wordy returned a str; it must return dspy.Prediction(answer=...)."


class Picky(dspy.Module):
    def forward(self, question, style):
        return dspy.Prediction(answer=style)


@pytest.mark.parametrize(
    ("module", "sentence"),
    [
        (Finder, "not the class Finder"),
        (lambda question: question, "not a function"),
        (dspy.ChainOfThought("query -> answer"), "ChainOfThought is asked with question=..., and takes query instead"),
        (Picky(), "Picky is asked with question=... alone, and needs style too"),
        (dspy.Module(), "Module has no forward"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is(module, sentence):
    with pytest.raises(InputError, match=sentence.replace(".", r"\.")):
        run(module)


def test_questions_of_every_kind_and_twice():
    done, _, _ = run(Awaited(), questions=iter(ASKED))
    assert done.summary["n_ok"] == 2
    with pytest.raises(InputError, match="question 1 must be"):
        run(Awaited(), questions=["Who?"])
