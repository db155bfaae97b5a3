"""The chat, asked with OpenAI's own client."""

import openai
import pytest
from toys import Steps, echo
from web_service import web_service

from multihop import OneStep, scripted
from multihop.retrieval import BM25, Passage
from multihop.runtime import Citation

CORPUS = [
    Passage("p 1", "Torun", "Torun is a city."),
    Passage("https://wiki.org/Kowal", "", "Kowal was born in Torun."),
]
QUESTION = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is Torun?"}]


@pytest.fixture(scope="module")
def web():
    programs = {
        "one-step": (OneStep(BM25.build(CORPUS)), scripted(lambda prompt: {"answer": "in Poland"})),
        "steps": (Steps(rounds=2), scripted(echo)),
        "vague": (Steps(rounds=0), scripted(lambda prompt: "nothing")),
    }
    with web_service(programs, keys=["one", "other"]) as web:
        yield web


@pytest.fixture(scope="module")
def client(web):
    with openai.OpenAI(base_url=f"{web.url}/v1", api_key="other", max_retries=0) as client:
        yield client


def test_a_program_answers_as_a_model(client, monkeypatch):
    cited = [Citation(each.id, each.title, each.text, 0, len(each.text), 0.9) for each in CORPUS]
    monkeypatch.setattr("multihop.runtime.answer_record.cite", lambda question, prediction: cited)
    said = client.chat.completions.create(model="one-step", messages=QUESTION)
    (choice,) = said.choices
    assert (said.model, choice.finish_reason, choice.message.content) == ("one-step", "stop", "in Poland")
    first, second = (each.url_citation for each in choice.message.annotations)
    assert (first.title, first.url, first.start_index, first.end_index) == ("Torun", "passage:p%201", 0, 9)
    assert (second.title, second.url) == ("https://wiki.org/Kowal", "https://wiki.org/Kowal")
    assert first.model_extra["sentence"] == CORPUS[0].text
    beside = said.model_extra["multihop"]
    assert beside.keys() == {"program", "passages", "evidence", "cost", "over_budget", "citations"}
    assert beside["passages"] == [passage._asdict() for passage in CORPUS]
    (spent,) = beside["cost"]["tokens"].values()
    assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (spent["in"], spent["out"])
    assert said.usage.total_tokens == spent["in"] + spent["out"]


def test_the_last_thing_the_user_said_is_the_question_to_one_of_the_models_that_are_listed(client):
    assert [model.id for model in client.models.list()] == ["one-step", "steps", "vague"]
    model = client.models.retrieve("steps")
    assert (model.id, model.object, model.owned_by) == ("steps", "model", "multihop")
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "uno"},
        {"role": "user", "content": [{"type": "text", "text": "two"}, {"type": "text", "text": "three"}]},
        {"role": "assistant", "content": None},
    ]
    said = client.chat.completions.create(model="steps", messages=messages, temperature=0.3, tools=[])
    assert said.choices[0].message.content == "two\nthree two\nthree"


def test_steps_are_streamed_as_reasoning_and_the_answer_as_content(client):
    asked = {"model": "steps", "messages": [{"role": "user", "content": "a b"}]}
    create = client.chat.completions.create
    chunks = list(create(**asked, stream=True, stream_options={"include_usage": True}))
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == "a b a b"
    thought = "".join((delta.model_extra or {}).get("reasoning_content", "") for delta in deltas)
    assert thought == "guess: answer a b\nguess: answer a b\nread: answer a b a b\n"
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1]] == [None] * (len(chunks) - 2) + ["stop"]
    said = {(chunk.id, chunk.model, chunk.object) for chunk in chunks}
    assert said == {(chunks[0].id, "steps", "chat.completion.chunk")}
    assert chunks[-1].usage.completion_tokens > 0


USER = {"role": "user"}
PICTURE = [{"type": "image_url", "image_url": {"url": "data:,"}}]


@pytest.mark.parametrize(
    ("asked", "kind", "sentence"),
    [
        ({"model": "gpt-5"}, openai.NotFoundError, "unknown program 'gpt-5'"),
        ({"messages": QUESTION[:1]}, openai.BadRequestError, "no message has the role 'user'"),
        ({"messages": [USER]}, openai.UnprocessableEntityError, "the question is empty."),
        ({"messages": [USER | {"content": PICTURE}]}, openai.UnprocessableEntityError, "the question is empty."),
        ({"model": "vague"}, openai.InternalServerError, "the LM failed: "),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_cannot_be_had_is_an_error_of_the_client(client, asked, kind, sentence, stream):
    with pytest.raises(openai.APIError) as caught:
        list(client.chat.completions.create(**{"model": "steps", "messages": QUESTION, "stream": stream, **asked}))
    if not (stream and kind is openai.InternalServerError):  # the stream had begun
        assert type(caught.value) is kind
    assert sentence in caught.value.message


@pytest.mark.parametrize("key", ["", "one2", "ö"])
def test_without_the_right_key_nothing_is_said(web, client, key):
    headers = {"Authorization": f"Bearer {key}".encode()} if key else {}
    for asked in ("POST /ask", "POST /v1/chat/completions", "GET /metrics", "GET /openapi.json"):
        said = web.client.request(*asked.split(), headers=headers, json={})
        assert (said.status_code, said.headers["www-authenticate"]) == (401, "Bearer")
    assert said.json() == {"error": "the key is missing or wrong; send it as Authorization: Bearer KEY."}
    assert [web.client.get(path).status_code for path in ("/", "/healthz", "/readyz")] == [200, 200, 200]
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="wrong").models.list()
