"""The built-in encoder says what it was trained for; any reads texts of every kind and length, and is checked."""

import asyncio
import copy
import pickle
import re
import sys

import numpy as np
import pytest
import ujson
from tiny_encoder import WIDTH, write_tiny_encoder

from multihop.base import InputError, MissingExtraError
from multihop.base.concurrency import BatchCache
from multihop.encoder import Encoder, Judgement, Pair, judge, next_query, open_encoder
from multihop.encoder.encoder import sentence_vectors
from multihop.encoder.weights import BUILT_IN, FILES, MANIFEST, seal_encoder

QUESTION = "Where was the author of Emma born?"
EMMA = "Emma (novel) | Emma is a novel written by the English author Jane Austen."
AUSTEN = "Jane Austen | Jane Austen was an English novelist, born in Steventon, Hampshire."
DANUBE = "Danube | The Danube is a river that flows through Vienna."
PAIRS = [Pair(QUESTION, EMMA), Pair(QUESTION, DANUBE), Pair(QUESTION, AUSTEN, (EMMA,)), Pair(QUESTION, DANUBE, (EMMA,))]


@pytest.fixture(scope="module")
def encoder():
    return Encoder.load()


@pytest.fixture
def tiny(tmp_path):
    return Encoder(write_tiny_encoder(tmp_path / "tiny"))


def test_what_helps_is_told_from_what_does_not(encoder):
    emma, danube, austen, river = encoder.judge(PAIRS)
    assert emma.relevant > 20 * danube.relevant
    assert austen.relevant > 0.5 > river.relevant
    assert emma.leads_on > austen.leads_on
    assert austen.enough > emma.enough
    assert all(0 <= value <= 1 for value in emma[:6])
    assert "Austen" in " ".join(EMMA[start:end] for start, end in emma.marks())
    best = austen.answers[0]
    assert AUSTEN[best.start : best.end].startswith("Steventon")
    (picked,) = encoder.next_queries([(QUESTION, "Jane Austen")])
    assert picked.found == "Jane Austen"
    assert set(picked.query.split()) <= {*QUESTION.rstrip("?").split(), "Jane", "Austen"}


def test_together_or_one_by_one_in_any_order_all_is_the_same(encoder, monkeypatch):
    together = encoder.judge([*PAIRS, Pair("?", "word " * 300)])[: len(PAIRS)]
    monkeypatch.setattr(encoder, "judgements", BatchCache(100))
    assert [encoder.judge([pair])[0] for pair in reversed(PAIRS)] == together[::-1]
    texts = [EMMA, "", AUSTEN * 20, "Danube"]  # one of them in several windows
    told = []
    vectors = encoder.embed(texts, progress=told.append)
    assert np.array_equal(vectors, np.concatenate([encoder.embed([text]) for text in texts]))
    assert told == sorted(told)
    assert told[0] < told[-1] == 4


def test_each_sentence_has_a_vector_that_knows_the_title_and_what_is_around_it(encoder):
    text = "Jane Austen. She wrote novels of manners. She was born in Steventon."
    (vectors,) = encoder.embed_passages([text], [13])
    assert vectors.shape == (2, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-4)
    queries = encoder.embed(["novels of manners", "born in a village"])
    assert queries.shape == (2, 384)
    assert np.linalg.norm(queries, axis=1) == pytest.approx([1, 1], abs=1e-4)
    novels, born = queries
    assert vectors[0] @ novels > vectors[1] @ novels
    assert vectors[1] @ born > vectors[0] @ born
    assert encoder.embed_passages([text], [0])[0].shape == (3, 384)
    texts = ["", " ", "Jane Austen. "]  # without sentences beside the title
    assert np.array_equal(np.concatenate(encoder.embed_passages(texts, [0, 0, 13])), encoder.embed(texts))


def test_a_long_passage_is_read_to_its_end(encoder):
    filler = "It sold well in its first year. " * 40
    text = f"Emma. {filler}A volcano erupts in Sicily."
    short, far = encoder.embed_passages([DANUBE, text], [0, 6])
    assert far.shape == (41, 384)
    (volcano,) = encoder.embed(["a volcano in Sicily"])
    assert int((far @ volcano).argmax()) == 40
    assert np.array_equal(encoder.embed_passages([DANUBE], [0])[0], short)
    text = f"Emma (novel) | {filler}Emma was written by the author Jane Austen."
    (judged,) = encoder.judge([Pair("Who wrote Emma?", text)])
    assert any("Austen" in text[answer.start : answer.end] for answer in judged.answers)
    assert [span for span, _ in judged.words] == sorted({span for span, _ in judged.words})
    assert judged.words[-1][0][1] >= len(text) - 2


def test_of_tokens_that_two_windows_share_each_is_told_by_the_one_in_which_it_is_further_from_the_edge():
    """Windows of 60 tokens that share 48 of them; the second begins at token 12, and either may be done first."""
    windows = {
        start: [np.ones(2, np.float32), np.tile(np.array(value, np.float32), (62, 1))]
        for start, value in ((12, [0.0, 1.0]), (0, [1.0, 0.0]))
    }
    text = "he " * 35 + "went. " + "He " * 36
    offsets = [match.span() for match in re.finditer(r"\w+", text)]
    for order in (windows, dict(reversed(windows.items()))):
        first, second = sentence_vectors(text, 0, offsets, order)
        assert (first.tolist(), second.tolist()) == ([1.0, 0.0], [0.0, 1.0])


@pytest.mark.parametrize(
    "text", ["", " ", "Где родился автор?", "小説の作者", "🙂", "\u200b", "a" * 3000, "word " * 900]
)
def test_any_text_is_judged_and_embedded(tiny, text):
    (judged,) = tiny.judge([Pair(text, text, (text,))])
    assert isinstance(judged, Judgement)
    assert all(0 <= value <= 1 for value in judged[:6])
    assert all(0 <= answer.start < answer.end <= len(text) for answer in judged.answers)
    assert np.isfinite(tiny.embed([text])).all()
    assert np.isfinite(tiny.embed_passages([text], [0])[0]).all()
    assert tiny.next_queries([(text, text)])
    assert tiny.judge([]) == tiny.next_queries([]) == tiny.embed_passages([], []) == []
    assert tiny.embed([]).shape == (0, WIDTH)


def test_it_is_opened_once_and_never_copied_and_pickled_by_its_place(encoder, tmp_path, monkeypatch):
    assert Encoder.load() is encoder is Encoder.load(BUILT_IN) is copy.deepcopy(encoder)
    assert pickle.loads(pickle.dumps(encoder)) is encoder
    rebuild, (kind, place, fingerprint) = encoder.__reduce__()
    assert (kind, place, fingerprint) == (Encoder, None, encoder.fingerprint)
    with pytest.raises(InputError, match="this multihop holds the encoder .*, and other-1 was saved"):
        rebuild(Encoder, None, "other-1")
    twins = [write_tiny_encoder(tmp_path / name) for name in ("one", "two")]
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(Encoder("one"))
    monkeypatch.chdir(twins[1])
    one, two = pickle.loads(pickled), Encoder.load(twins[1])
    assert (one.folder, len(pickled) < 1000) == (twins[0].resolve(), True)
    assert one is not two
    assert (one.fingerprint, one.judge(PAIRS)) == (two.fingerprint, two.judge(PAIRS))


@pytest.mark.parametrize("name", [*FILES, "labeler.onnx", "filter.onnx", "reader.onnx"])
def test_damaged_and_missing_files_are_named(tmp_path, name):
    folder = write_tiny_encoder(tmp_path, own=("labeler", "filter", "reader"))
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InputError, match=f"is damaged, {name} is not as it was written; make it again"):
        Encoder(folder)
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"lacks {name}"):
        Encoder(folder)


def test_a_folder_without_an_encoder_is_refused(tmp_path, tiny):
    with pytest.raises(InputError, match="holds no encoder"):
        Encoder.load(tmp_path / "nowhere")
    manifest = ujson.loads((tiny.folder / MANIFEST).read_bytes())
    for content, problem in ((ujson.dumps({**manifest, "format": 99}), "format 99"), ("{", "damaged")):
        (tiny.folder / MANIFEST).write_text(content)
        with pytest.raises(InputError, match=problem):
            Encoder(tiny.folder)


def test_a_network_that_nothing_can_run_is_named_when_it_is_asked(tiny):
    (tiny.folder / "judge.onnx").write_bytes(b"no network")
    seal_encoder(tiny.folder, {"name": "own", "width": WIDTH})
    encoder = Encoder(tiny.folder)
    assert encoder.embed(["A river"]).shape == (1, WIDTH)
    with pytest.raises(InputError, match="judge.onnx cannot be opened"):
        encoder.judge(PAIRS)


def test_the_weights_are_small_enough_to_ship():
    assert sum(file.stat().st_size for file in BUILT_IN.iterdir() if file.is_file()) <= 50_000_000


def test_a_labeler_and_a_filter_of_its_own_say_other_things_than_the_judge(tiny, tmp_path):
    own = Encoder(write_tiny_encoder(tmp_path / "own", own=("labeler", "filter")))
    found = [(QUESTION, "Jane Austen of Steventon"), (QUESTION, "Emma Danube Vienna novel")]
    assert tiny.label(PAIRS) == tiny.judge(PAIRS) == own.judge(PAIRS) != own.label(PAIRS)
    assert tiny.filter(found) == tiny.next_queries(found) == own.next_queries(found) != own.filter(found)
    assert own.fingerprint.startswith(tiny.fingerprint)
    assert len(own.fingerprint) == len(tiny.fingerprint) + 16


class Counting(Encoder):
    """An encoder that remembers its batches."""

    batches = ()

    def judge(self, pairs):
        self.batches += (len(pairs),)
        return super().judge(pairs)

    def next_queries(self, findings):
        self.batches += (len(findings),)
        return super().next_queries(findings)


@pytest.mark.at_once
def test_what_is_asked_at_once_is_one_run_and_judging_and_picking_do_not_share_it(tiny):
    encoder, pairs = Counting(tiny.folder), [Pair("Where is it?", f"Passage {number}.") for number in range(5)]

    async def main():
        asked = (judge(encoder, pair) for pair in [*pairs, pairs[0]])
        return await asyncio.gather(*asked, next_query(encoder, "Who is it?", "Ada"))

    *judged, picked = asyncio.run(main())
    assert sorted(encoder.batches) == [1, 5]
    assert judged == [*tiny.judge(pairs), judged[0]]
    assert picked.found == "Ada"


def test_the_kind_of_a_folder_says_what_opens_it(encoder, tiny_encoder_folder, monkeypatch):
    assert type(open_encoder(tiny_encoder_folder)) is Encoder
    assert open_encoder() is encoder
    with pytest.raises(InputError, match="the built-in encoder takes no prefix; it was trained with what it needs"):
        open_encoder(query_prefix="x", passage_prefix=None)
    with pytest.raises(InputError, match=f"the encoder in {tiny_encoder_folder} takes no prefix"):
        open_encoder(tiny_encoder_folder, passage_prefix="x")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"^the encoder org/e5 needs the extra \[encoders\] \(") as refused:
        open_encoder("org/e5")
    assert refused.value.extra == "encoders"
