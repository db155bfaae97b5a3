import shutil
import subprocess
import sys
from itertools import islice

import pytest
from small_corpus import ROWS
from tiny_colbert import write_tiny_colbert

from multihop import ColBERT, Little, Passage, open_index
from multihop.base import InputError, MismatchError
from multihop.retrieval.index_folder import find_home, read_manifest

pytestmark = pytest.mark.extra("colbert")

PASSAGES = [Passage(**row) for row in ROWS]


def ids(rankings):
    return [[hit.passage.id for hit in ranking] for ranking in rankings]


def test_a_batch_is_ranked(colbert_folder, checkpoint):
    retriever = open_index(colbert_folder)
    assert isinstance(retriever, ColBERT)
    found = retriever.search(["Torun on the Vistula", " ", "film directed in 1959"], k=2)
    assert [each[:1] for each in ids(found)] == [["p3"], [], ["p1"]]
    assert [len(ranking) for ranking in found] == [2, 0, 2]
    assert all(ranking == sorted(ranking, key=lambda hit: -hit.score) for ranking in found)
    assert ids([retriever.search(["film directed in 1959"], k=9)[0]])[0][0] == "p1"
    assert retriever.search([], k=2) == []
    assert list(retriever) == PASSAGES
    assert repr(retriever) == f"ColBERT(3 passages, {checkpoint})"


def exact_rankings(passages, queries, checkpoint, k):
    """The best passages by the vectors as they are, all of them compared."""
    from multihop.retrieval.colbert_encoder import match, open_token_encoder

    encoder = open_token_encoder(checkpoint)
    vectors = encoder.encode_passages([str(passage) for passage in passages])
    for query in encoder.encode_queries(queries):
        scores = match(query, vectors)
        yield [passages[place].id for place in sorted(range(len(passages)), key=lambda place: -scores[place])[:k]]


def test_it_finds_what_comparing_everything_finds(checkpoint, tmp_path):
    passages = list(Little().passages())
    queries = [" ".join(passage.text.split()[:16]) for passage in passages]
    done = []
    retriever = ColBERT.build(passages, checkpoint=checkpoint, folder=tmp_path / "index", progress=done.append)
    assert done == [*range(32, 200, 32), 200]  # encoded once
    found, exact = ids(retriever.search(queries, k=5)), exact_rankings(passages, queries, checkpoint, 5)
    assert [len(set(ranking)) for ranking in found] == [5] * len(queries)
    with_own = [
        sum(passage.id in ranking for passage, ranking in zip(passages, rankings, strict=True)) / len(passages)
        for rankings in (found, exact)
    ]
    assert with_own[1] > 0.95
    assert with_own[0] >= with_own[1] - 0.02


def test_how_exactly_vectors_are_kept_is_chosen_when_it_is_built(checkpoint, tmp_path):
    passages = list(islice(Little().passages(), 120))
    queries = [" ".join(passage.text.split()[:16]) for passage in passages]
    exact = list(exact_rankings(passages, queries, checkpoint, 5))
    kept = {}
    for bits in (1, 8):
        folder = tmp_path / str(bits)
        ColBERT.build(passages, checkpoint=checkpoint, folder=folder, bits=bits)
        rankings = ids(open_index(folder).search(queries, k=5))
        same = sum(len({*best} & {*ranking}) for best, ranking in zip(exact, rankings, strict=True)) / 5 / len(exact)
        residuals = sum(file.stat().st_size for file in find_home(folder).glob("*.residuals.pt"))
        kept[bits] = same, residuals, open_index(folder).fingerprint
    assert kept[8][0] > max(0.97, kept[1][0])
    assert kept[8][1] > 4 * kept[1][1]
    assert kept[8][2] != kept[1][2]
    with pytest.raises(InputError, match="keeps numbers in 1, 2, 4 or 8 bits, not 3"):
        ColBERT.build(passages, checkpoint=checkpoint, folder=tmp_path / "index", bits=3)


def test_a_corpus_of_one_empty_passage(checkpoint, tmp_path):
    retriever = ColBERT.build([Passage("a", "", "")], checkpoint=checkpoint, folder=tmp_path / "index")
    assert [hit.passage.id for hit in retriever.search(["a river \ud800"], k=5)[0]] == ["a"]


def test_the_same_corpus_makes_the_same_index(colbert_folder, checkpoint, tmp_path):
    import random

    import torch

    before = random.getstate(), torch.random.get_rng_state()
    again = ColBERT.build(iter(PASSAGES), checkpoint=checkpoint, folder=tmp_path / "again")
    assert again.fingerprint == open_index(colbert_folder).fingerprint
    queries = [passage.text for passage in PASSAGES]
    assert ids(again.search(queries, k=3)) == ids(open_index(colbert_folder).search(queries, k=3))
    assert random.getstate() == before[0]
    assert torch.equal(torch.random.get_rng_state(), before[1])
    other = ColBERT.build(PASSAGES, checkpoint=checkpoint, folder=tmp_path / "again", titles=False)
    assert other.fingerprint != again.fingerprint
    assert other.search(["Torun"], k=1) != again.search(["Torun"], k=1)


IN_A_PROCESS = """
import multiprocessing, os, sys
os.environ["PATH"] = ""
from multihop import open_index
retriever = open_index(sys.argv[1])
print(retriever.fingerprint, retriever.search(["Torun on the Vistula"], k=1)[0][0].passage.id)
print(multiprocessing.get_start_method(allow_none=True), "TOKENIZERS_PARALLELISM" in os.environ, os.environ["PATH"])
"""


@pytest.mark.seconds
def test_another_process_opens_it_without_a_compiler_and_without_a_word(colbert_folder, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS, str(colbert_folder)],
        capture_output=True,
        text=True,
        env={"PATH": "", "HOME": str(tmp_path), "TORCH_EXTENSIONS_DIR": str(tmp_path / "compiled")},
        cwd=tmp_path,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"{open_index(colbert_folder).fingerprint} p3", "None False "]
    assert list(tmp_path.iterdir()) == []


def test_another_checkpoint_is_refused_by_name(checkpoint, tmp_path):
    own = write_tiny_colbert(tmp_path / "own")
    folder = tmp_path / "index"
    ColBERT.build(PASSAGES, checkpoint=own, folder=folder)
    moved = tmp_path / "moved"
    own.rename(moved)
    with pytest.raises(InputError, match=f"{own} holds no checkpoint"):
        ColBERT.load(folder)
    own.symlink_to(moved)
    assert ids(open_index(folder).search(["Torun on the Vistula"], k=1)) == [["p3"]]
    own.unlink()
    write_tiny_colbert(own, seed=1)
    with pytest.raises(MismatchError, match=rf"by the checkpoint {own} \(\w{{16}}\), and {own} is now another"):
        open_index(folder)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("config.json", None, "is no ColBERT checkpoint: it has no artifact.metadata, which colbert-ai writes beside"),
        ("model.safetensors", None, "cannot be opened: "),
        ("artifact.metadata", b"[1", "cannot be opened: "),
        ("config.json", b"[1]", "config.json is damaged, or is not a transformer's config.json"),
        ("config.json", b'{"auto_map": {"AutoModel": "mine.Model"}}', "brings code of its own ('auto_map' in its con"),
    ],
)
def test_what_is_no_checkpoint_is_one_sentence(checkpoint, tmp_path, name, content, said):
    copied = tmp_path / "copied"
    shutil.copytree(checkpoint, copied)
    (copied / name).unlink()
    if content is not None:
        (copied / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        ColBERT.build(PASSAGES, checkpoint=copied, folder=tmp_path / "index")
    assert said in str(refused.value)
    assert str(copied) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "index").exists()


def test_a_checkpoint_of_the_hub_is_known_by_its_name_and_its_files(checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **_: str(checkpoint))
    made = ColBERT.build(PASSAGES, checkpoint="colbert-ir/colbertv2.0", folder=tmp_path / "hub")
    assert read_manifest(tmp_path / "hub").checkpoint_place == "colbert-ir/colbertv2.0"
    assert made.fingerprint == ColBERT.build(PASSAGES, checkpoint=checkpoint, folder=tmp_path / "here").fingerprint
