"""Follow-ups over the wire: written to stand alone, shown as a step, counted, and left out where not wanted."""

import openai
import pytest
from answering import answering
from toys import Steps, echo
from web_service import events_of, web_service

from multihop import BM25, Budget, Passage, create, scripted

CORPUS = [
    Passage("1", "Radium", "Radium was discovered by Marie Curie."),
    Passage("2", "Pierre Curie", "Pierre Curie was the husband of Marie Curie."),
]
BEFORE = {"question": "Who discovered radium?", "answer": "Marie Curie"}
FOLLOW_UP = "who was her husband?"
FULL = "who was Marie Curie's husband?"


def say(prompt):
    return {"full_question": FULL} if "conversation" in prompt.inputs else echo(prompt)


@pytest.fixture(scope="module")
def web():
    programs = {
        "steps": (Steps(rounds=1), scripted(say)),
        "poor": (Steps(rounds=1, budget=Budget(calls=1)), scripted(say)),
        "tor": (create("tor", BM25.build(CORPUS)), answering()),
    }
    with web_service(programs) as web:
        yield web


def asked(web, path="/ask", **body):
    return web.client.post(path, json={"question": FOLLOW_UP, **body})


def test_a_follow_up_is_answered_as_the_question_that_it_means(web):
    events = list(events_of(asked(web, "/ask/stream", program="steps", earlier=[BEFORE])))
    assert [content["step"] for name, content in events if name == "step"] == ["stand_alone", "guess", "read"]
    read = [content["text"] for name, content in events if name == "token" and content["step"] == "read"]
    assert "".join(read) == FULL
    record = events[-1][1]
    assert (record["question"], record["answer"]) == (FOLLOW_UP, FULL)
    assert record["trajectory"][0] == {
        "step": "stand_alone",
        "inputs": {"conversation": ["Who discovered radium? -> Marie Curie"], "question": FOLLOW_UP},
        "outputs": {"full_question": FULL},
    }
    assert record["cost"]["calls_by_role"] == {"stand_alone": 1, "guess": 1, "read": 1}


def test_a_first_question_costs_no_call_more_and_the_budget_holds_for_both(web):
    record = asked(web, program="steps").json()
    assert (record["answer"], record["cost"]["calls"]) == (FOLLOW_UP, 2)
    record = asked(web, program="poor", earlier=[BEFORE]).json()
    assert (record["answer"], record["over_budget"], record["cost"]["calls"]) == ("", True, 1)


def test_a_chat_goes_on_and_a_picture_in_it_is_no_hindrance(web):
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]},
        {"role": "user", "content": [{"type": "text", "text": "Who discovered radium?"}]},
        {"role": "assistant", "content": "Marie"},
        {"role": "assistant", "content": "Curie"},
        {"role": "user", "content": FOLLOW_UP},
    ]
    with openai.OpenAI(base_url=f"{web.url}/v1", api_key="none", max_retries=0) as client:
        said = client.chat.completions.create(model="steps", messages=messages)
        chunks = list(client.chat.completions.create(model="steps", messages=messages, stream=True))
    assert said.choices[0].message.content == FULL
    assert said.model_extra["multihop"]["cost"]["calls_by_role"]["stand_alone"] == 1
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == FULL
    thought = "".join((delta.model_extra or {}).get("reasoning_content", "") for delta in deltas)
    assert thought.startswith(f"stand_alone: full_question {FULL}\n")


@pytest.mark.parametrize("earlier", [[], [BEFORE]])
def test_the_finished_search_is_a_picture(web, earlier):
    events = list(events_of(asked(web, "/ask/stream", program="tor", earlier=earlier, pictures=True, tokens=False)))
    (picture,) = [content for name, content in events if name == "picture"]
    assert [events[-2][0], events[-1][0]] == ["picture", "result"]
    assert (picture["kind"], picture["root"]["label"]) == ("reviews", FULL if earlier else FOLLOW_UP)
    assert picture["root"]["children"]
    assert "picture" not in {name for name, _ in events_of(asked(web, "/ask/stream", program="tor", earlier=earlier))}
