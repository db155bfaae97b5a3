import pytest
from answering import answering
from toys import FakeRetriever, Steps, echo
from web_service import events_of, web_service

from multihop import OneStep, create, scripted
from multihop.base import RunFailed
from multihop.retrieval import BM25, Passage, RemoteRetriever

CORPUS = [
    Passage("1", "Night Train (film)", "Night Train is a 1959 film directed by Jerzy Kowal."),
    Passage("2", "Jerzy Kowal", "Jerzy Kowal was born in Toru\u0144 in 1922."),
]


@pytest.fixture(scope="module")
def web():
    retriever = BM25.build(CORPUS)
    programs = {
        "resp": (create("resp", retriever), answering()),
        "steps": (Steps(rounds=2), scripted(echo)),
        "broken": (OneStep(FakeRetriever(fail=OSError("secret disk"))), scripted(echo)),
        "down": (OneStep(FakeRetriever(fail=RunFailed("http://search is down."))), scripted(echo)),
        "vague": (Steps(rounds=0), scripted(lambda prompt: "nothing")),
    }
    with web_service(programs) as web:
        yield web


def test_an_answer_is_what_ask_json_prints(web):
    said = web.client.post("/ask", json={"question": "Where was Jerzy Kowal born?"})
    record = said.json()
    assert (said.status_code, record["answer"]) == (200, "Toru\u0144")
    assert record["passages"][0] == CORPUS[1]._asdict()
    assert (record["program"], record["lm"], record["over_budget"]) == ("resp", "multihop/scripted", False)
    assert record["settings"]["turns"] == 3
    assert [step["step"] for step in record["trajectory"]][:3] == ["find", "summarize", "judge"]
    assert record["cost"]["calls"] == sum("inputs" in step for step in record["trajectory"])


def test_steps_and_tokens_are_streamed_and_the_result_comes_last(web):
    question = {"question": "one two three", "program": "steps"}
    said = web.client.post("/ask/stream", json=question)
    events = list(events_of(said))
    assert said.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert [content["step"] for name, content in events if name == "step"] == ["guess", "guess", "read"]
    assert all(content["path"] == [] for name, content in events if name == "step")
    tokens = [(content["step"], content["text"]) for name, content in events if name == "token"]
    assert "".join(text for step, text in tokens if step == "read") == "one two three one two three"
    assert len(tokens) > 3
    name, record = events[-1]
    assert (name, record["answer"]) == ("result", "one two three one two three")
    bare = web.client.post("/ask/stream", json=question | {"tokens": False})
    assert [name for name, _ in events_of(bare)] == ["step", "step", "step", "result"]
    whole = web.client.post("/ask", json=question).json()
    for one in (record, whole):
        one["cost"].pop("seconds")
    assert record == whole


@pytest.mark.parametrize(
    ("program", "status", "sentence"),
    [
        ("broken", 500, "the program failed; the server's log says where."),
        ("down", 502, "http://search is down."),
        ("vague", 502, "the LM failed: "),
    ],
)
def test_a_failure_is_told_in_one_sentence(web, program, status, sentence):
    said = web.client.post("/ask", json={"question": "q", "program": program})
    assert said.status_code == status
    assert said.json()["error"].startswith(sentence)
    name, content = list(events_of(web.client.post("/ask/stream", json={"question": "q", "program": program})))[-1]
    assert (name, content["status"]) == ("error", status)
    assert content["error"].startswith(sentence)
    line = [each for each in web.events() if each.get("program") == program][-1]
    assert line["event"] == "failed"
    assert "secret" not in str(web.events())


BAD = [
    ({"content": b"{"}, 400, "the body is no JSON; send one JSON object."),
    ({"json": {"question": 3}}, 422, "'question' of the body cannot be used: Input should be a valid string."),
    ({"json": {"question": "q", "k": 3}}, 422, "'k' of the body cannot be used: Extra inputs are not permitted."),
    ({"json": {"question": "q", "earlier": "x"}}, 422, "'earlier' of the body cannot be used: "),
    (
        {"json": {"question": "q", "earlier": [{"answer": "x"}]}},
        422,
        "'earlier.0.question' of the body cannot be used: ",
    ),
    ({"json": {"question": " "}}, 422, "the question is empty."),
    ({"json": {"question": "w" * 10_001}}, 422, "the question has 10,001 characters; the most is 10,000."),
    ({"content": b'{"question": "\\ud800"}'}, 422, "the question holds broken UTF-8 (a lone surrogate)."),
    ({"json": {"question": "q", "program": "stepps"}}, 404, "unknown program 'stepps'; did you mean 'steps'?"),
    ({"data": {"question": "q"}}, 415, "send the body with the header Content-Type: application/json."),
]


@pytest.mark.parametrize(("body", "status", "sentence"), BAD)
def test_what_is_no_question_is_refused_in_one_sentence(web, body, status, sentence):
    headers = {"content-type": "application/json"} if "content" in body else {}
    for path in ("/ask", "/ask/stream"):
        said = web.client.post(path, headers=headers, **body)
        assert said.status_code == status
        assert said.json()["error"].startswith(sentence)


def test_the_retriever_is_searched_by_the_same_protocol_as_an_index(web):
    hits = RemoteRetriever(web.url).search(["Who directed Night Train?", "Jerzy"], 2)
    assert [[hit.passage for hit in ranking] for ranking in hits] == [CORPUS[:1], CORPUS[::-1]]
    nothing = web.client.post("/retrieve", params={"program": "steps"}, json={"queries": ["q"]})
    assert (nothing.status_code, nothing.json()) == (404, {"error": "the program 'steps' searches nothing."})


def test_what_is_served_describes_itself_and_nothing_else_is_there(web):
    for asked, status, end in (("GET /ask", 405, "with which."), ("GET /redoc", 404, "says what there is.")):
        said = web.client.request(*asked.split())
        assert (said.status_code, said.json()["error"].endswith(end)) == (status, True)
    described = web.client.get("/openapi.json").json()
    assert described["paths"].keys() >= {"/ask", "/ask/stream", "/retrieve", "/v1/chat/completions", "/v1/models"}
    asked = described["components"]["schemas"]["StreamBody"]
    assert asked["properties"].keys() == {"question", "program", "earlier", "tokens", "pictures"}
    assert asked["required"] == ["question"]
    assert all(field["description"] for field in asked["properties"].values())
    assert web.client.get("/healthz").json() == {"status": "ok"}
    assert web.client.get("/readyz").json() == {"status": "ready"}
    assert (web.client.head("/healthz").status_code, web.client.head("/healthz").content) == (200, b"")


@pytest.mark.parametrize("with_texts", [False, True])
def test_the_log_and_prometheus_are_told_what_was_done_and_only_who_wants_it_what_was_asked(with_texts):
    with web_service({"steps": (Steps(rounds=1), scripted(echo))}, with_texts=with_texts) as web:
        for question in ("a secret", " "):
            web.client.post("/ask", json={"question": question})
        lines = web.client.get("/metrics").text.splitlines()
    answered, refused = web.events()
    assert (answered["event"], answered["program"], answered["calls"]) == ("answered", "steps", 2)
    assert (refused["event"], refused["error"]) == ("refused", "InputError")
    assert [line.get("question") for line in web.events()] == (["a secret", " "] if with_texts else [None, None])
    assert 'multihop_questions_total{program="steps",status="answered"} 1.0' in lines
    assert 'multihop_questions_total{program="steps",status="refused"} 1.0' in lines
    assert 'multihop_lm_calls_total{program="steps"} 2.0' in lines
    assert 'multihop_answer_seconds_bucket{le="+Inf",program="steps"} 1.0' in lines
    assert 'multihop_answer_seconds_count{program="steps"} 1.0' in lines
    assert "multihop_in_flight 0.0" in lines
