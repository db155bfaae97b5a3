import copy
import pickle
import re
import shutil
import zlib

import numpy as np
import pytest
import ujson
from tiny_encoder import write_tiny_encoder

from multihop.base import InputError
from multihop.base.concurrency import BatchCache
from multihop.encoder import Encoder, Judgement, Pair
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


def test_what_helps_is_told_from_what_does_not(encoder):
    emma, danube, austen, river = encoder.judge(PAIRS)
    assert emma.relevant > 20 * danube.relevant
    assert austen.relevant > 0.5 > river.relevant
    assert emma.leads_on > austen.leads_on
    assert austen.enough > emma.enough
    assert all(0 <= value <= 1 for value in emma[:6])


def test_useful_words_and_the_answer_are_pointed_at(encoder):
    emma, _, austen, _ = encoder.judge(PAIRS)
    assert "Austen" in " ".join(EMMA[start:end] for start, end in emma.marks())
    best = austen.answers[0]
    assert AUSTEN[best.start : best.end].startswith("Steventon")


def test_the_next_query_is_picked_from_both(encoder):
    (picked,) = encoder.next_queries([(QUESTION, "Jane Austen")])
    assert picked.found == "Jane Austen"
    assert set(picked.query.split()) <= {*QUESTION.rstrip("?").split(), "Jane", "Austen"}


def test_together_or_one_by_one_in_any_order_the_judgement_is_the_same(encoder, monkeypatch):
    monkeypatch.setattr(encoder, "judgements", BatchCache(100))
    together = encoder.judge([*PAIRS, Pair("?", "word " * 600)])[: len(PAIRS)]
    monkeypatch.setattr(encoder, "judgements", BatchCache(100))
    assert [encoder.judge([pair])[0] for pair in reversed(PAIRS)] == together[::-1]


def test_vectors_have_length_one_and_mean_something(encoder):
    vectors = encoder.embed(["A river in Austria", "The Danube flows through Vienna", "A novel of manners"])
    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_each_sentence_has_a_vector_that_knows_the_title_and_what_is_around_it(encoder):
    text = "Jane Austen. She wrote novels of manners. She was born in Steventon."
    (vectors,) = encoder.embed_passages([text], [13])
    assert vectors.shape == (2, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-4)
    novels, born, emma = encoder.embed(["novels of manners", "born in a village", "a queen of England"])
    assert vectors[0] @ novels > vectors[1] @ novels
    assert vectors[1] @ born > vectors[0] @ born
    assert (encoder.embed_passages([text], [0])[0] @ emma).shape == (3,)
    assert len(encoder.embed_passages(["Jane Austen. "], [13])[0]) == 1


def test_the_vectors_of_a_text_without_sentences_are_that_of_the_whole(encoder):
    texts = ["", " ", "Jane Austen. "]
    whole = encoder.embed_passages(texts, [0, 0, 13])
    assert np.array_equal(np.concatenate(whole), encoder.embed(texts))


def test_the_sentences_of_a_long_passage_are_read_to_its_end(encoder):
    text = "Emma. " + "It sold well in its first year. " * 80 + "A volcano erupts in Sicily."
    short, far = encoder.embed_passages([DANUBE, text], [0, 6])
    assert far.shape == (81, 384)
    (volcano,) = encoder.embed(["a volcano in Sicily"])
    assert int((far @ volcano).argmax()) == 80
    assert np.array_equal(encoder.embed_passages([text, DANUBE], [6, 0])[0], far)
    assert np.array_equal(encoder.embed_passages([DANUBE], [0])[0], short)


def test_of_tokens_that_two_windows_share_each_is_told_by_the_one_in_which_it_is_further_from_the_edge():
    """Windows of 60 tokens that share 48 of them; the second begins at token 12."""
    windows = {
        start: [np.ones(2, np.float32), np.tile(np.array(value, np.float32), (62, 1))]
        for start, value in ((12, [0.0, 1.0]), (0, [1.0, 0.0]))
    }
    text = "he " * 35 + "went. " + "He " * 36
    offsets = [match.span() for match in re.finditer(r"\w+", text)]
    first, second = sentence_vectors(text, 0, offsets, windows)
    assert (first.tolist(), second.tolist()) == ([1.0, 0.0], [0.0, 1.0])


def test_a_vector_depends_on_its_text_alone(encoder):
    texts = [EMMA, DANUBE, AUSTEN * 20, "Danube"]
    assert np.array_equal(encoder.embed(texts), np.concatenate([encoder.embed([text]) for text in texts]))


@pytest.mark.parametrize(
    "text", ["", " ", "Где родился автор?", "小説の作者", "🙂", "\u200b", "a" * 3000, "word " * 3000]
)
def test_any_text_is_judged_and_embedded(encoder, text):
    (judged,) = encoder.judge([Pair(text, text, (text,))])
    assert isinstance(judged, Judgement)
    assert all(0 <= value <= 1 for value in judged[:6])
    assert all(0 <= answer.start < answer.end <= len(text) for answer in judged.answers)
    assert np.isfinite(encoder.embed([text])).all()
    assert np.isfinite(encoder.embed_passages([text], [0])[0]).all()
    assert encoder.next_queries([(text, text)])


def test_a_long_passage_is_read_to_its_end(encoder):
    far = "Emma (novel) | " + "It sold well in its first year. " * 80 + "Emma was written by the author Jane Austen."
    (judged,) = encoder.judge([Pair("Who wrote Emma?", far)])
    assert any("Austen" in far[answer.start : answer.end] for answer in judged.answers)
    assert [span for span, _ in judged.words] == sorted({span for span, _ in judged.words})
    assert judged.words[-1][0][1] >= len(far) - 2


def test_nothing_is_judged_without_pairs(encoder):
    assert encoder.judge([]) == encoder.next_queries([]) == []
    assert encoder.embed([]).shape == (0, 384)
    assert encoder.embed_passages([], []) == []


def test_it_is_opened_once_and_never_copied(encoder):
    assert Encoder.load() is encoder is Encoder.load(BUILT_IN) is copy.deepcopy(encoder)


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(BUILT_IN, tmp_path / "encoder")


def test_a_copy_elsewhere_is_an_encoder_of_its_own(folder, encoder, monkeypatch):
    twin = Encoder.load(folder)
    assert twin is not encoder
    assert twin.fingerprint == encoder.fingerprint
    monkeypatch.setattr(encoder, "judgements", BatchCache(100))
    assert twin.judge(PAIRS) == encoder.judge(PAIRS)


def test_pickled_it_is_opened_again_where_it_is(folder, encoder, monkeypatch):
    assert pickle.loads(pickle.dumps(encoder)) is encoder
    monkeypatch.chdir(folder.parent)
    pickled = pickle.dumps(Encoder("encoder"))
    monkeypatch.chdir(folder)
    assert pickle.loads(pickled).folder == folder.resolve()
    assert len(pickled) < 1000


def test_pickled_it_is_the_same_or_refused(encoder):
    rebuild, (kind, place, fingerprint) = encoder.__reduce__()
    assert (kind, place, fingerprint) == (Encoder, None, encoder.fingerprint)
    with pytest.raises(InputError, match="this multihop holds the encoder .*, and other-1 was saved"):
        rebuild(Encoder, None, "other-1")


@pytest.mark.parametrize("name", FILES)
def test_damaged_and_missing_files_are_named(folder, name):
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InputError, match=f"{name} is not as it was written; make it again"):
        Encoder(folder)
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"lacks {name}"):
        Encoder(folder)


def test_a_folder_without_an_encoder_is_refused(tmp_path, folder):
    with pytest.raises(InputError, match="holds no encoder"):
        Encoder.load(tmp_path / "nowhere")
    manifest = ujson.loads((folder / MANIFEST).read_bytes())
    (folder / MANIFEST).write_text(ujson.dumps({**manifest, "format": 99}))
    with pytest.raises(InputError, match="format 99"):
        Encoder(folder)
    (folder / MANIFEST).write_text("{")
    with pytest.raises(InputError, match="damaged"):
        Encoder(folder)


def test_a_network_that_nothing_can_run_is_named_when_it_is_asked(folder):
    (folder / "judge.onnx").write_bytes(b"no network")
    seal_encoder(folder, {"name": "own", "width": 384})
    encoder = Encoder(folder)
    assert encoder.embed(["A river"]).shape == (1, 384)
    with pytest.raises(InputError, match="judge.onnx cannot be opened"):
        encoder.judge(PAIRS)


def test_the_weights_are_small_enough_to_ship():
    assert sum(len(zlib.compress(file.read_bytes())) for file in BUILT_IN.iterdir() if file.is_file()) <= 40_000_000


def test_telling_how_far_it_is_changes_no_vector(encoder):
    texts = [EMMA, "", AUSTEN * 60, DANUBE]  # one of them in several windows
    told = []
    assert np.array_equal(encoder.embed(texts, progress=told.append), encoder.embed(texts))
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] == 4
    assert encoder.embed([], progress=told.append).shape == (0, encoder.manifest["width"])


def test_a_labeler_and_a_filter_of_its_own_say_other_things_than_the_judge(tmp_path):
    plain = Encoder(write_tiny_encoder(tmp_path / "plain"))
    own = Encoder(write_tiny_encoder(tmp_path / "own", own=("labeler", "filter")))
    found = [(QUESTION, "Jane Austen of Steventon"), (QUESTION, "Emma Danube Vienna novel")]
    assert plain.label(PAIRS) == plain.judge(PAIRS) == own.judge(PAIRS) != own.label(PAIRS)
    assert plain.filter(found) == plain.next_queries(found) == own.next_queries(found) != own.filter(found)
    assert own.fingerprint.startswith(plain.fingerprint)
    assert len(own.fingerprint) == len(plain.fingerprint) + 16


@pytest.mark.parametrize("name", ["labeler.onnx", "filter.onnx"])
def test_a_damaged_labeler_or_filter_is_named(tmp_path, name):
    write_tiny_encoder(tmp_path, own=("labeler", "filter"))
    (tmp_path / name).write_bytes(b"no network")
    with pytest.raises(InputError, match=f"is damaged, {name} is not as it was written"):
        Encoder(tmp_path)
