import asyncio
import copy
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import dspy
import numpy as np
import pytest

from multihop import OneStep, scripted
from multihop.base import InputError
from multihop.retrieval import as_retriever, find, fingerprint

TEXTS = [
    "Night Train (film) | Night Train is a 1959 film directed by Jerzy Kowal.",
    "Jerzy Kowal | Jerzy Kowal was born in Torun in 1922.",
    "Torun | Torun is a city on the Vistula.",
    "Vistula | The Vistula is a river.",
]
QUESTION = "When was Jerzy Kowal born?"
WORDS = sorted({word for text in TEXTS for word in text.lower().split()})


class Embedder:
    """Counts words; remembers how many texts each call had."""

    def __init__(self):
        self.calls = []

    def __call__(self, texts):
        self.calls.append(len(texts))
        return np.array([[text.lower().split().count(word) for word in WORDS] for text in texts], np.float32) + 1e-3


def answers(program):
    """The prediction, asked synchronously and asynchronously, the same both times."""
    with dspy.context(lm=scripted(lambda prompt: {"answer": "1922"})):
        prediction = program(question=QUESTION)
        later = asyncio.run(asyncio.wait_for(program.acall(question=QUESTION), 30))
    assert (later.answer, later.passages) == (prediction.answer, prediction.passages)
    return prediction


@pytest.fixture
def server():
    """Speaks the protocol of the ColBERTv2 server, by GET and by POST; it remembers what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            fields = parse_qs(urlsplit(self.path).query)
            self.reply(fields["query"][0], int(fields["k"][0]))

        def do_POST(self):
            fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.reply(fields["query"], fields["k"])

        def reply(self, query, k):
            asked.append((self.command, query, k))
            words = set(query.lower().strip("?").split())
            found = sorted(range(len(TEXTS)), key=lambda pid: -len(words & set(TEXTS[pid].lower().split())))
            topk = [
                {"text": TEXTS[pid], "long_text": TEXTS[pid], "pid": pid, "rank": rank, "score": 20.0 - rank}
                for rank, pid in enumerate(found, 1)
            ]
            body = json.dumps({"query": query, "topk": topk}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}", asked
        http.shutdown()
        thread.join()


def test_by_the_private_name_alone_embeddings_tell_scores_and_as_many_hits_as_are_asked_for(monkeypatch):
    embeddings = dspy.Embeddings(corpus=TEXTS, embedder=Embedder(), k=1)
    first, second = as_retriever(embeddings).search(["the river"], 2)[0]
    assert first.score > second.score > 0
    monkeypatch.delattr(dspy.Embeddings, "_batch_forward")
    assert [hit.passage for hit in as_retriever(embeddings).search(["the river"], 2)[0]] == [first.passage]


@pytest.mark.parametrize("kind", [dspy.Embeddings, dspy.retrievers.EmbeddingsWithScores])
def test_embeddings_in_a_program(kind):
    prediction = answers(OneStep(kind(corpus=TEXTS, embedder=Embedder(), k=1), k=2))
    assert prediction.answer == "1922"
    assert [passage.title for passage in prediction.passages] == ["Jerzy Kowal", "Night Train (film)"]
    assert prediction.passages[0].text == "Jerzy Kowal was born in Torun in 1922."


def test_embeddings_find_as_many_as_are_asked_for_in_one_call_of_the_embedder():
    embedder = Embedder()
    embeddings = dspy.Embeddings(corpus=TEXTS, embedder=embedder, k=1)
    retriever = as_retriever(embeddings)

    async def main():
        return await asyncio.gather(*[find(retriever, query, 3) for query in ("Vistula", "film", "city")])

    found = asyncio.run(asyncio.wait_for(main(), 30))
    assert [len(hits) for hits in found] == [3, 3, 3]
    assert [hits[0].passage.title for hits in found] == ["Vistula", "Night Train (film)", "Torun"]
    assert all(hits[0].score > hits[1].score >= hits[2].score > 0 for hits in found)
    assert embedder.calls == [4, 3]
    assert embeddings.k == 1


def test_embeddings_with_a_forward_of_their_own_are_asked_through_it():
    class Shouting(dspy.Embeddings):
        def forward(self, query):
            return dspy.Prediction(passages=[text.upper() for text in super().forward(query).passages])

    retriever = as_retriever(Shouting(corpus=TEXTS, embedder=Embedder(), k=2))
    assert [hit.passage.title for hit in retriever.search(["Vistula river"], 1)[0]] == ["VISTULA"]


def test_embeddings_are_known_by_corpus_and_embedder():
    first, second, other = (
        fingerprint(as_retriever(dspy.Embeddings(corpus=corpus, embedder=Embedder(), k=k)))
        for corpus, k in ((TEXTS, 1), (TEXTS, 5), (TEXTS[1:], 1))
    )
    assert first == second != other
    assert first.startswith("Embeddings-")

    def another(texts):
        return Embedder()(texts)

    held, renamed = (
        fingerprint(as_retriever(dspy.Embeddings(corpus=TEXTS, embedder=embedder, k=1)))
        for embedder in (dspy.Embedder(Embedder()), another)
    )
    assert held == first != renamed


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_colbert_in_a_program(server, method):
    address, asked = server
    client = dspy.ColBERTv2(url=address, post_requests=method == "POST")
    prediction = answers(OneStep(client, k=2))
    assert prediction.answer == "1922"
    assert [(passage.id, passage.title) for passage in prediction.passages] == [
        ("1", "Jerzy Kowal"),
        ("0", "Night Train (film)"),
    ]
    assert [hit["score"] for hit in prediction.trajectory[0]["hits"]] == [19.0, 18.0]
    assert set(asked) == {(method, QUESTION, 2)}


def test_colbert_is_known_by_its_address_which_is_not_told():
    secret = "http://ada:secret@127.0.0.1:1"
    known = fingerprint(as_retriever(dspy.ColBERTv2(url=secret)))
    assert known.startswith("ColBERTv2-")
    assert "secret" not in known
    assert known == fingerprint(as_retriever(dspy.ColBERTv2(url=secret)))
    assert known != fingerprint(as_retriever(dspy.ColBERTv2(url=secret + "2")))


def test_retrieve_asks_the_retrieval_model_of_the_settings(server):
    address, asked = server
    with dspy.context(rm=dspy.ColBERTv2(url=address)):
        program = OneStep(dspy.Retrieve(k=1), k=2)
        prediction = answers(program)
        assert fingerprint(program.retriever).startswith("Retrieve(ColBERTv2-")
    assert prediction.answer == "1922"
    assert [passage.title for passage in prediction.passages] == ["Jerzy Kowal", "Night Train (film)"]
    assert {k for _, _, k in asked} == {2}


def stub(*texts):
    def rm(query, k):
        return [dspy.dsp.utils.dotdict({"long_text": text}) for text in texts][:k]

    return rm


def test_retrieve_asks_under_the_settings_of_each_asker():
    retriever = as_retriever(dspy.Retrieve(k=1))

    async def ask(text):
        with dspy.context(rm=stub(text)):
            return (await find(retriever, "the same", 1))[0].passage.text

    async def main():
        return await asyncio.gather(ask("here"), ask("there"))

    assert asyncio.run(asyncio.wait_for(main(), 30)) == ["here", "there"]


def test_retrieve_without_a_retrieval_model_says_what_to_do():
    program = OneStep(dspy.Retrieve(k=1))
    assert fingerprint(program.retriever) == "Retrieve"
    with dspy.context(lm=scripted(lambda prompt: {"answer": "1922"}), rm=None), pytest.raises(InputError) as refused:
        program(question=QUESTION)
    assert str(refused.value) == (
        "dspy.Retrieve has nothing to search; name a retrieval model with dspy.configure(rm=...)."
    )


def test_a_retrieve_of_ones_own_is_asked_as_it_wants_to_be():
    class Databricks(dspy.Retrieve):
        """Takes no k, and returns what DatabricksRM does."""

        def forward(self, query, query_type="ANN", filters_json=None):
            return dspy.Prediction(docs=TEXTS[1:3], doc_ids=["b", "c"], doc_uris=None, extra_columns=[{}, {}])

    class Weaviate(dspy.Retrieve):
        """Returns a list of records, as WeaviateRM does."""

        def forward(self, query_or_queries, k=None, **options):
            assert isinstance(query_or_queries, str)
            return [dspy.dsp.utils.dotdict({"long_text": text}) for text in TEXTS[1:]][:k]

    databricks = answers(OneStep(Databricks(), k=1))
    assert ([passage.id for passage in databricks.passages], databricks.answer) == (["b"], "1922")
    weaviate = OneStep(Weaviate(), k=2)
    assert [passage.title for passage in answers(weaviate).passages] == ["Jerzy Kowal", "Torun"]
    assert fingerprint(weaviate.retriever) == "Weaviate"


def test_a_program_with_one_of_dspys_retrievers_can_be_saved_and_copied(tmp_path):
    program = OneStep(dspy.Retrieve(k=1), k=2)
    program.save(tmp_path / "program.json")
    assert set(json.loads((tmp_path / "program.json").read_text())) == {"answer", "metadata"}
    assert copy.deepcopy(program).retriever is program.retriever
    assert program.steps == ["answer"]
