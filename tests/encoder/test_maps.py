import numpy as np
import pytest
import ujson

from multihop.base import DamagedFileError, InputError, MismatchError
from multihop.encoder import Encoder, Judgement, Pages, Pair, open_encoder
from multihop.encoder.maps import MAPS, Maps, holds_maps, log_odds, read_maps, write_maps
from multihop.encoder.weights import read_encoder_manifest

ETNA = Pair("Where is Etna?", "Etna | A volcano in Sicily.")


def turning(width):
    """Every vector the other way round, in its places."""
    return np.eye(width, dtype=np.float32)[::-1].copy()


@pytest.fixture
def base(tiny_encoder_folder):
    return Encoder.load(tiny_encoder_folder)


@pytest.fixture
def folder(base, tmp_path):
    maps = Maps(turning(16), np.array([2.0, 0, 0, 0, 0.5]), np.array([0.0, 1.0]))
    write_maps(tmp_path / "learned", maps, base=base.folder, over=base.fingerprint, about={"corpus": "towns"})
    return tmp_path / "learned"


def test_queries_are_turned_and_passages_are_not(base, folder):
    learned = open_encoder(folder)
    (plain,), (asked,) = base.embed_queries(["rivers"]), learned.embed_queries(["rivers"])
    assert asked == pytest.approx(plain[::-1], abs=1e-6)
    assert learned.embed(["rivers"]) == pytest.approx(base.embed(["rivers"]))
    assert learned.embedding == base.embedding


def test_verdicts_are_as_on_the_corpus(base, folder):
    learned = Encoder.load(folder)
    (before,), (after,) = base.judge([ETNA]), learned.judge([ETNA])
    assert log_odds(after.relevant) == pytest.approx(2 * log_odds(before.relevant) + 0.5)
    assert after._replace(relevant=0) == before._replace(relevant=0)
    assert learned.label([ETNA]) == [after]
    (read,) = learned.read([Pages(ETNA.question, (ETNA.passage, "Po | A river."))])
    assert read.helpful == pytest.approx((1 / (1 + np.exp(-1)),) * 2)


def test_where_there_is_no_map_nothing_is_done(base):
    same = base.with_maps(Maps())
    judgement = Judgement(0.3, 0.2, 0.1, 0.5, 0.0, 0.0)
    assert Maps().judged(judgement) is judgement
    assert (same.fingerprint, same.is_mapped, same.asking) == (base.fingerprint, False, "")
    assert not base.with_maps(Maps(judge=np.ones(5))).asking


def test_an_encoder_with_maps_is_another_one(base, folder, tmp_path):
    learned = Encoder.load(folder)
    assert learned.fingerprint.startswith(f"{base.fingerprint}+")
    assert learned.is_mapped
    assert learned.place == {"encoder_folder": str(folder)}
    assert Encoder.load(folder) is learned
    assert read_maps(folder).about == {"corpus": "towns"}
    write_maps(folder, Maps(judge=np.ones(5)), base=base.folder, over=base.fingerprint, about={})
    assert Encoder.load(folder).fingerprint not in (learned.fingerprint, base.fingerprint)
    assert not holds_maps(base.folder)


def test_what_is_wrong_with_the_folder_is_said(base, folder):
    with pytest.raises(MismatchError, match="maps over another encoder, and no networks"):
        read_encoder_manifest(folder)
    manifest = ujson.loads((folder / "encoder.json").read_text())

    def written(**changed):
        (folder / "encoder.json").write_text(ujson.dumps(manifest | changed))
        return folder

    with pytest.raises(MismatchError, match="was learned over the encoder other, and"):
        Encoder(written(over="other"))
    with pytest.raises(MismatchError, match="format 9"):
        Encoder(written(format=9))
    with pytest.raises(DamagedFileError, match="forget it with `multihop adapt INDEX --undo`"):
        Encoder(written(files={}))
    with pytest.raises(InputError, match="no encoder"):
        Encoder(written(encoder_folder=str(folder.parent)))
    written()
    (folder / MAPS).write_bytes(b"half")
    with pytest.raises(DamagedFileError, match=r"maps\.npz is not as it was written"):
        Encoder(folder)
