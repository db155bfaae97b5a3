"""Responses, asked for with OpenAI's own client."""

import asyncio

import openai
import pytest
from time_limit import in_loop
from toys import Steps, echo
from web_service import web_service

from multihop import OneStep, scripted
from multihop.retrieval import BM25, Passage

CORPUS = [
    Passage("p 1", "Torun", "Torun is a city."),
    Passage("https://wiki.org/Kowal", "", "Kowal was born in Torun."),
]
FULL = "who was Marie Curie's husband?"
BEFORE = [
    {"role": "user", "content": [{"type": "input_text", "text": "Who discovered radium?"}]},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Marie Curie"}]},
    {"type": "function_call_output", "call_id": "1", "output": "x"},
]
FOLLOW_UP = {"role": "user", "content": "who was her husband?"}


def follow(prompt):
    if "conversation" in prompt.inputs:
        return {"full_question": FULL}
    return echo(prompt)


@pytest.fixture(scope="module")
def web():
    programs = {
        "one-step": (OneStep(BM25.build(CORPUS)), scripted(lambda prompt: {"answer": "in Poland"})),
        "steps": (Steps(rounds=2), scripted(follow)),
        "silent": (Steps(rounds=0, abstain_below=1.0), scripted(lambda prompt: {"answer": "Po"})),
        "vague": (Steps(rounds=0), scripted(lambda prompt: "nothing")),
    }
    with web_service(programs, keys=["one", "other"]) as web:
        yield web


@pytest.fixture(scope="module")
def client(web):
    with openai.OpenAI(base_url=f"{web.url}/v1", api_key="other", max_retries=0) as client:
        yield client


def test_a_program_answers_as_a_model(client):
    said = client.responses.create(
        model="one-step", input="Where is Torun?", instructions="Be brief.", metadata={"a": "b"}, temperature=0.3
    )
    assert (said.model, said.status, said.output_text, said.error) == ("one-step", "completed", "in Poland", None)
    assert (said.instructions, said.metadata, said.previous_response_id) == ("Be brief.", {"a": "b"}, None)
    thought, message = said.output
    assert thought.summary[0].text == (
        "find: Where is Torun? → Torun · https://wiki.org/Kowal\nanswer: answer in Poland"
    )
    (text,) = message.content
    first, second = text.annotations
    assert (first.type, first.title, first.url) == ("url_citation", "Torun", "passage:p%201")
    assert (first.start_index, first.end_index) == (0, 9)
    assert (second.title, second.url) == ("https://wiki.org/Kowal", "https://wiki.org/Kowal")
    beside = said.model_extra["multihop"]
    assert beside["passages"] == [passage._asdict() for passage in CORPUS]
    (spent,) = beside["cost"]["tokens"].values()
    assert (said.usage.input_tokens, said.usage.output_tokens) == (spent["in"], spent["out"])
    assert said.usage.total_tokens == spent["in"] + spent["out"]


def test_an_answer_that_was_withheld_is_text_without_citations(client):
    said = client.responses.create(model="silent", input="Which river?")
    assert (said.status, said.output_text) == ("completed", "I do not know")
    assert said.output[-1].content[0].annotations == []
    assert (said.model_extra["multihop"]["abstained"], said.model_extra["multihop"]["best_guess"]) == (True, "Po")


def test_events_come_in_the_official_order(client):
    events = list(client.responses.create(model="one-step", input="Where is Torun?", stream=True))
    assert [event.type.removeprefix("response.") for event in events] == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.annotation.added",
        "output_text.annotation.added",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[0].response.status == "in_progress"
    whole = events[-1].response
    assert {event.response.id for event in events if hasattr(event, "response")} == {whole.id}
    assert [event.item for event in events if event.type == "response.output_item.done"] == whole.output
    thought = "".join(event.delta for event in events if event.type == "response.reasoning_summary_text.delta")
    assert thought == whole.output[0].summary[0].text
    cited = [event.annotation for event in events if event.type == "response.output_text.annotation.added"]
    assert [each["title"] for each in cited] == [each.title for each in whole.output[1].content[0].annotations]


def test_the_clients_own_gathering_of_a_stream_ends_in_what_is_said_at_once(client):
    with client.responses.stream(model="one-step", input="Where is Torun?") as stream:
        gathered = stream.get_final_response()
    at_once = client.responses.create(model="one-step", input="Where is Torun?")
    assert (gathered.output_text, gathered.usage) == (at_once.output_text, at_once.usage)
    assert gathered.output[0].summary == at_once.output[0].summary
    assert gathered.output[1].content[0].annotations == at_once.output[1].content[0].annotations


@pytest.mark.parametrize("stream", [False, True])
def test_a_question_goes_on_from_the_response_before(client, stream):
    def answered(**asked):
        said = client.responses.create(model="steps", stream=stream, **asked)
        return list(said)[-1].response if stream else said

    first = answered(input="Who discovered radium?")
    assert "stand_alone" not in first.model_extra["multihop"]["cost"]["calls_by_role"]
    second = answered(input=FOLLOW_UP["content"], previous_response_id=first.id)
    assert (second.output_text, second.previous_response_id) == (f"{FULL} {FULL}", first.id)
    assert second.output[0].summary[0].text.startswith(f"stand_alone: full_question {FULL}\n")
    third = answered(input="and now?", previous_response_id=second.id, extra_body={"follow_up": False})
    assert third.output_text == "and now? and now?"


def test_the_messages_before_are_read_as_in_a_chat(client):
    said = client.responses.create(model="steps", input=[*BEFORE, FOLLOW_UP])
    assert said.output_text == f"{FULL} {FULL}"
    again = client.responses.create(model="steps", input=[*BEFORE, FOLLOW_UP], extra_body={"follow_up": False})
    assert again.output_text == "who was her husband? who was her husband?"


def test_what_is_not_to_be_kept_is_not(client):
    first = client.responses.create(model="steps", input="Who?", store=False)
    assert first.store is False
    with pytest.raises(openai.BadRequestError) as caught:
        client.responses.create(model="steps", input="Who?", previous_response_id=first.id)
    assert (caught.value.code, caught.value.param) == ("previous_response_not_found", "previous_response_id")


def test_many_ask_at_once_and_each_gets_its_own_answer(web):
    async def main():
        async with openai.AsyncOpenAI(base_url=f"{web.url}/v1", api_key="one") as client:

            async def ask(number):
                if number % 2:
                    return (await client.responses.create(model="steps", input=f"q{number}")).output_text
                stream = await client.responses.create(model="steps", input=f"q{number}", stream=True)
                return "".join([each.delta async for each in stream if each.type == "response.output_text.delta"])

            return await asyncio.gather(*map(ask, range(20)))

    assert in_loop(main) == [f"q{number} q{number}" for number in range(20)]


PICTURE = {"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]}


@pytest.mark.parametrize(
    ("asked", "kind", "sentence"),
    [
        ({"model": "gpt-5"}, openai.NotFoundError, "unknown program 'gpt-5'"),
        ({"input": []}, openai.BadRequestError, "no message has the role 'user'"),
        ({"input": 5}, openai.UnprocessableEntityError, "of the body cannot be used"),
        ({"input": " "}, openai.UnprocessableEntityError, "the question is empty."),
        ({"input": [PICTURE]}, openai.BadRequestError, "a part of type 'input_image'; only text can be read."),
        ({"background": True}, openai.BadRequestError, "'background' cannot be had; wait for the answer"),
        ({"conversation": "conv_1"}, openai.BadRequestError, "'conversation' cannot be had; send"),
        ({"text": {"format": {"type": "json_object"}}}, openai.BadRequestError, "text.format 'json_object' cannot"),
        ({"previous_response_id": "resp_x"}, openai.BadRequestError, "no response 'resp_x' is kept here; send"),
        ({"model": "vague"}, openai.InternalServerError, "the LM failed: "),
    ],
)
def test_what_cannot_be_had_is_an_error_of_the_client(client, asked, kind, sentence):
    with pytest.raises(openai.APIStatusError) as caught:
        client.responses.create(**{"model": "steps", "input": "Where is Torun?", **asked})
    assert type(caught.value) is kind
    assert sentence in caught.value.message


def test_a_failure_after_the_beginning_is_the_last_event(client):
    last = list(client.responses.create(model="vague", input="Where is Torun?", stream=True))[-1]
    assert (last.type, last.response.status, last.response.error.code) == ("response.failed", "failed", "server_error")
    assert last.response.error.message.startswith("the LM failed: ")
