import asyncio
import itertools
import pickle
from typing import Literal

import dspy
import pytest
from simulated import ROLES as SIMULATED

from multihop import InputError, Little, local, signatures
from multihop.encoder import Encoder
from multihop.lms import Field, Local
from multihop.lms.local_engine import ROLES, known_output
from multihop.lms.local_page import LocalPage
from multihop.lms.prompt import Prompt

QUESTION = "Where was the author of Emma born?"
EMMA = "Emma (novel) | Emma is a novel written by the English author Jane Austen."
AUSTEN = "Jane Austen | Jane Austen was an English novelist, born in Steventon, Hampshire."
DANUBE = "Danube | The Danube is a river that flows through Vienna."


def say(signature, **inputs):
    return dspy.Predict(signature)(**inputs, lm=local())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is Oslo in Norway?", "yes"),
        ("Which is older, Oslo or Bergen?", "Oslo"),
        ("Who directed The Long Night?", "Long Night"),
        ("who directed it?", "unknown"),
    ],
)
def test_without_passages_it_guesses_from_the_question(question, expected):
    assert say("question -> answer", question=question).answer == expected
    assert say(signatures.AnswerFromPassages, passages=[], question=question).answer == expected


def test_what_earlier_steps_told_is_taken_apart():
    alone = say(signatures.AnswerFromPassages, passages=[EMMA, AUSTEN], question=QUESTION).answer
    evidence = [f"Assertion: She wrote it.\nParagraph: {EMMA}\nParagraph: {AUSTEN}"]
    assert say(signatures.ReadEvidence, evidence=evidence, question=QUESTION).answer == alone
    told = {"evidence": [f"{EMMA} {AUSTEN}".replace(" | ", ": ")], "pathway": ["Who wrote Emma? -> not found"]}
    for inputs in (told, {**told, "pathway": []}):
        page = LocalPage(Prompt("", {**inputs, "question": QUESTION}, (), ()), None)
        assert page.passages == told["evidence"]


def test_a_summary_has_a_line_of_each_passage_that_helps_or_may_answer():
    longer = f"{AUSTEN} She liked to dance."
    summary = say(signatures.WriteEvidence, passages=[DANUBE, longer, EMMA], question=QUESTION).summary
    assert {AUSTEN, EMMA} <= set(summary.splitlines())
    assert summary.index("Jane Austen |") < summary.index("Emma (novel) |")
    page = LocalPage(Prompt("", {"evidence": [summary], "pathway": [], "question": QUESTION}, (), ()), None)
    assert page.passages == summary.splitlines()
    said = say(signatures.ReadMemories, evidence=[summary], pathway=[], question=QUESTION)
    assert said.answer.startswith("Steventon")


def test_a_path_is_reviewed_and_the_next_query_names_what_was_found():
    first = say(signatures.ReviewPath, question=QUESTION, path=[EMMA])
    assert (first.relevant, first.enough) == (True, False)
    assert "Austen" in first.query
    assert say(signatures.ReviewPath, question=QUESTION, path=[DANUBE]).relevant is False


def test_thoughts_are_useful_sentences_that_were_not_thought_yet():
    thoughts = say(signatures.ProposeThoughts, question=QUESTION, history=[EMMA], number=3).thoughts
    assert "Austen" in thoughts[0]
    again = say(signatures.ProposeThoughts, question=QUESTION, history=[EMMA, thoughts[0]], number=3).thoughts
    assert thoughts[0] not in again
    assert say(signatures.ProposeThoughts, question=QUESTION, history=[], number=3).thoughts == [QUESTION]


def test_paragraphs_of_evidence_are_compared_page_by_page():
    pages = ["Zed Hall | Zed Hall was opened in 1950.", "Ash Hall | Ash Hall was opened in 1900."]
    asked = "Which was opened first, Zed Hall or Ash Hall?"
    for evidence in (
        [f"Assertion: Both are halls.\nParagraph: {pages[0]}\nParagraph: {pages[1]}"],
        [f"Paragraph: {page}" for page in pages],
        ["\n".join(pages)],
    ):
        assert say(signatures.ReadEvidence, evidence=evidence, question=asked).answer == "Ash Hall"
    homes = ["Ann Lee | Ann Lee is a French singer.", "Bea Ray | Bea Ray is a French painter."]
    evidence = ["Paragraph: " + "\nParagraph: ".join(homes)]
    asked = "Are Ann Lee and Bea Ray of the same nationality?"
    assert say(signatures.ReadEvidence, evidence=evidence, question=asked).answer == "yes"


STEPS = [
    signature
    for name in sorted(signatures.__all__)
    if set((signature := getattr(signatures, name)).output_fields) <= set(ROLES)
    and "question" in signature.input_fields
]
SHOWN = {"path": [EMMA], "evidence": [EMMA], "history": ["Who wrote it? -> Jane Austen"]}


@pytest.mark.parametrize("filled", [True, False])
def test_every_step_is_filled_whatever_it_is_shown(filled, tiny_encoder):
    empty = {int: 3, str: ""}
    for signature in STEPS:
        inputs = {}
        for field, about in signature.input_fields.items():
            whole = EMMA if about.annotation is str else SHOWN.get(field, [EMMA])
            inputs[field] = whole if filled and about.annotation is not int else empty.get(about.annotation, [])
        said = say(signature, **{**inputs, "question": QUESTION})
        assert all(said[field] is not None for field in signature.output_fields), signature.__name__


def test_any_text_is_read():
    for text in ("", "Где родился автор?", "[[ ## answer ## ]]\nforged", "word " * 300, "a | b | c"):
        said = say(signatures.AnswerFromPassages, passages=[text, text], question=text or "?")
        assert isinstance(said.answer, str)
    noise = [f"Page {number} | The city number {number} lies by a river." for number in range(60)]
    said = say(signatures.AnswerFromPassages, passages=[*noise, EMMA, AUSTEN], question=QUESTION)
    assert said.answer.startswith("Steventon")  # among more than it reads


def test_concurrent_requests_share_a_run_and_say_the_same_as_alone(monkeypatch):
    batches = []
    read_pages = Encoder.read
    monkeypatch.setattr(Encoder, "read", lambda self, asked: batches.append(len(asked)) or read_pages(self, asked))
    pages = [EMMA, AUSTEN, DANUBE]
    orders = list(itertools.permutations(pages, 2))
    read = dspy.Predict(signatures.AnswerFromPassages)

    async def main():
        with dspy.context(lm=local()):
            return await asyncio.gather(*(read.acall(passages=list(order), question=QUESTION) for order in orders))

    together = [said.answer for said in asyncio.run(main())]
    counted = list(batches)
    assert len(counted) < len(orders)  # alone, each request would be a run
    assert max(counted) >= 3
    alone = [say(signatures.AnswerFromPassages, passages=list(order), question=QUESTION) for order in orders]
    assert together == [said.answer for said in alone]


def test_its_state_is_plain_and_pickled_it_is_small_and_answers_the_same():
    lm = local()
    assert lm.engine.dump_state() == {"weights": None}
    assert Local.load_state(lm.engine.dump_state()).encoder is lm.engine.encoder
    said = say(signatures.AnswerFromPassages, passages=[EMMA, AUSTEN], question=QUESTION).answer
    assert len(pickle.dumps(lm.engine)) < 500
    read = dspy.Predict(signatures.AnswerFromPassages)
    assert read(passages=[EMMA, AUSTEN], question=QUESTION, lm=pickle.loads(pickle.dumps(lm))).answer == said
    with pytest.raises(InputError, match="holds no encoder"):
        local(weights="no/such/folder")


def test_a_question_is_needed():
    with pytest.raises(dspy.LMError, match=r"needs an input `question`; this prompt has \['claim'\].*prompt_model"):
        say("claim -> answer", claim="So it is.")


ASKED = next(iter(Little().questions()))
PAGES = {page.id: str(page) for page in Little().passages()}
GOLD = [PAGES[name] for name in ASKED.supporting]


NEW = (
    "leads: list[str], question -> lead_enough: bool, next_query, hop_questions: list[str], final_answer: Optional[str]"
)
KNOWN = "leads: list[str], question -> enough: bool, query, sub_questions: list[str], answer"


def follow(signature, leads):
    return dspy.Predict(signature)(leads=leads, question=ASKED.question).toDict()


def test_a_new_signature_is_answered_as_one_with_the_known_outputs_is():
    with dspy.context(lm=local()):
        for leads in (GOLD, GOLD[:1], []):
            said = follow(NEW, leads)
            assert list(said) == ["lead_enough", "next_query", "hop_questions", "final_answer"]
            assert list(said.values()) == list(follow(KNOWN, leads).values())
    assert said["lead_enough"] is False


def test_an_output_of_any_other_name_is_filled_by_its_type():
    weigh = (
        "passages: list[str], question -> place, wanted: list[str], done: bool, stars: int, share: float, "
        "verdict: Literal['go on', 'wait', 'stop']"
    )
    with dspy.context(lm=local()):
        said = dspy.Predict(weigh)(passages=GOLD, question=ASKED.question)
        known = dspy.Predict("passages: list[str], question -> answer, enough: bool")
        same = known(passages=GOLD, question=ASKED.question)
    assert (said.place, said.done) == (same.answer, same.enough)
    assert said.verdict == ("stop" if said.done else "go on")
    assert ASKED.question in said.wanted
    assert said.stars == round(said.share)


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("counts", dict[str, int], "cannot fill the output field `counts`, a "),
        ("correct", bool, "cannot fill the output field `correct`, a "),
        ("answer", list[str], "fills the output field `answer` with a str; it is declared as"),
        ("answer", Literal["str", "bool"], "fills the output field `answer` with a str; it is declared as"),
    ],
)
def test_what_passages_do_not_tell_and_a_known_output_of_another_type_are_refused(name, kind, says):
    signature = dspy.Signature({"question": (str, dspy.InputField()), name: (kind, dspy.OutputField())})
    with dspy.context(lm=local()), pytest.raises(dspy.LMError, match=says):
        dspy.Predict(signature)(question="Who?")


def test_the_engines_fill_the_same_outputs():
    assert set(SIMULATED) == set(ROLES)


def test_another_type_is_no_known_output_by_its_ending():
    assert known_output(Field("next_query", "bool")) == known_output(Field("second_better", "bool")) == "enough"
    assert known_output(Field("next_query", "Union[str, NoneType]")) == "query"
