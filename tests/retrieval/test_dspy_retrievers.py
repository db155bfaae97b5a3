import asyncio
import copy
import json

import dspy
import numpy as np
import pytest
from json_server import JsonServer
from small_corpus import ROWS

from multihop import OneStep, scripted
from multihop.retrieval import as_retriever, fingerprint

TEXTS = [*(f"{row['title']} | {row['text']}" for row in ROWS), "Vistula | The Vistula is a river."]
QUESTION = "When was Jerzy Kowal born?"
WORDS = sorted({word for text in TEXTS for word in text.lower().split()})


class Embedder:
    """Counts words."""

    def __call__(self, texts):
        return np.array([[text.lower().split().count(word) for word in WORDS] for text in texts], np.float32) + 1e-3


def titles(program):
    """The titles of the passages, asked for synchronously and asynchronously, the same both times."""
    with dspy.context(lm=scripted(lambda prompt: {"answer": "1922"})):
        prediction = program(question=QUESTION)
        later = asyncio.run(asyncio.wait_for(program.acall(question=QUESTION), 30))
    assert prediction.answer == later.answer == "1922"
    assert later.passages == prediction.passages
    return [passage.title for passage in prediction.passages]


@pytest.mark.parametrize("kind", [dspy.Embeddings, dspy.retrievers.EmbeddingsWithScores])
def test_embeddings_in_a_program_find_at_most_as_many_as_they_were_made_for(kind):
    embeddings = kind(corpus=TEXTS, embedder=Embedder(), k=2)
    assert titles(OneStep(embeddings, k=2)) == ["Jerzy Kowal", "Night Train (film)"]
    (hits,) = as_retriever(embeddings).search(["Torun is a river"], 3)
    assert [hit.passage.title for hit in hits] == ["Torun", "Vistula"]
    assert hits[0].score > hits[1].score > 0


def test_embeddings_are_known_by_corpus_and_model():
    def known(corpus, k, model=None):
        embedder = Embedder()
        embedder.model = model
        return fingerprint(as_retriever(dspy.Embeddings(corpus=corpus, embedder=embedder, k=k)))

    assert known(TEXTS, 1).startswith("Embeddings-")
    assert known(TEXTS, 1) == known(TEXTS, 5)
    assert len({known(TEXTS, 1), known(TEXTS[1:], 1), known(TEXTS, 1, "openai/small")}) == 3


def test_colbert_in_a_program():
    topk = [{"text": TEXTS[pid], "pid": pid, "rank": 3 - pid, "score": 18.0 + pid} for pid in (1, 0)]
    with JsonServer(lambda asked: {"topk": topk}) as server:
        client = dspy.ColBERTv2(url=server.url)
        assert titles(OneStep(client, k=2)) == ["Jerzy Kowal", "Night Train (film)"]
        (hits,) = as_retriever(client).search([QUESTION], 2)
    assert [(hit.passage.id, hit.score) for hit in hits] == [("1", 19.0), ("0", 18.0)]
    assert {asked.path for asked in server.asked} == {"/?query=When+was+Jerzy+Kowal+born%3F&k=2"}


def test_colbert_is_known_by_its_address_which_is_not_told():
    secret = "http://ada:secret@127.0.0.1:1"
    known = fingerprint(as_retriever(dspy.ColBERTv2(url=secret)))
    assert known.startswith("ColBERTv2-")
    assert "secret" not in known
    assert known == fingerprint(as_retriever(dspy.ColBERTv2(url=secret)))
    assert known != fingerprint(as_retriever(dspy.ColBERTv2(url=secret + "2")))


def stub(*texts):
    return lambda query, k: [dspy.dsp.utils.dotdict({"long_text": text}) for text in texts][:k]


def test_retrieve_asks_the_retrieval_model_of_the_settings():
    with dspy.context(rm=stub(*TEXTS)):
        assert titles(OneStep(dspy.Retrieve(k=1), k=2)) == ["Night Train (film)", "Jerzy Kowal"]
    with dspy.context(rm=dspy.ColBERTv2(url="http://127.0.0.1:1")):
        assert fingerprint(as_retriever(dspy.Retrieve(k=1))).startswith("Retrieve(ColBERTv2-")


def test_a_retrieve_of_ones_own_is_asked_as_it_wants_to_be():
    class Weaviate(dspy.Retrieve):
        """Returns a list of records, as WeaviateRM does."""

        def forward(self, query_or_queries, k=None, **options):
            assert isinstance(query_or_queries, str)
            return [dspy.dsp.utils.dotdict({"long_text": text}) for text in TEXTS[1:]][:k]

    weaviate = OneStep(Weaviate(), k=2)
    assert titles(weaviate) == ["Jerzy Kowal", "Torun"]
    assert fingerprint(weaviate.retriever) == "Weaviate"


def test_a_program_with_one_of_dspys_retrievers_can_be_saved_and_copied(tmp_path):
    program = OneStep(dspy.Retrieve(k=1), k=2)
    program.save(tmp_path / "program.json")
    assert set(json.loads((tmp_path / "program.json").read_text())) == {"answer", "metadata"}
    assert copy.deepcopy(program).retriever is program.retriever
    assert program.steps == ["answer"]
