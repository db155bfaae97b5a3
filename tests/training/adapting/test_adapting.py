import pytest
import ujson
from full_disk import no_room_for

from multihop import Passage
from multihop.base import InputError
from multihop.encoder.maps import read_maps
from multihop.retrieval import BM25, Dense, Hybrid, open_index
from multihop.training.adapting import adapting
from multihop.training.adapting.adapting import adapt, forget
from multihop.training.adapting.made_questions import make_questions
from multihop.training.adapting.worth import Worth

WORDS = "pump valve boiler chimney radiator burner kettle grate flue damper".split()
PAGES = [
    Passage(
        f"p{n}",
        f"House {n}",
        f"The {WORDS[n % 10]} of house {n} was made by Maker{n} and stands near the {WORDS[n * 3 % 10]} of Street{n}."
        f" In {1900 + n} the {WORDS[n * 7 % 10]} was moved to the cellar by Mover{n} and his brother.",
    )
    for n in range(60)
]


@pytest.fixture
def folder(tmp_path, tiny_encoder):
    Hybrid.build(PAGES, folder=tmp_path / "index")
    return tmp_path / "index"


def better(*_):
    return Worth(9, 50.0, 60.0, 10.0, 1.0)


def worse(*_):
    return Worth(9, 60.0, 50.0, -10.0, 1.0)


def test_what_helps_is_written_and_the_rest_is_not(folder, monkeypatch):
    monkeypatch.setattr(adapting, "worth", better)
    before, told = open_index(folder).fingerprint, []
    learned = adapt(folder, questions=90, watch=told.append)
    assert learned.kept == tuple(learned.parts)
    assert {"judge", "reader"} <= set(learned.kept)
    assert learned.learned + learned.held_back == 90
    assert learned.folder == folder / "adapted"
    assert told[0] == "reading the corpus"
    assert told[-1] == "teaching the reader"
    assert open_index(folder).encoder.is_mapped
    about = ujson.loads((folder / "adapted" / "encoder.json").read_text())["about"]
    assert about["corpus"] == before
    assert set(about["parts"]) == set(learned.kept)
    monkeypatch.setattr(adapting, "worth", worse)
    again = adapt(folder, questions=90)
    assert (again.kept, again.folder) == ((), None)
    assert open_index(folder).fingerprint == before


def test_it_learns_over_the_encoder_as_it_is_and_not_over_what_it_learned(folder, monkeypatch):
    monkeypatch.setattr(adapting, "worth", better)
    adapt(folder, questions=90)
    first = read_maps(folder / "adapted"), open_index(folder).encoder.fingerprint
    adapt(folder, questions=90)
    again = read_maps(folder / "adapted"), open_index(folder).encoder.fingerprint
    assert (again[0].about, again[0].over, again[1]) == (first[0].about, first[0].over, first[1])


def test_what_was_learned_is_forgotten(folder, monkeypatch):
    monkeypatch.setattr(adapting, "worth", better)
    before = open_index(folder).fingerprint
    adapt(folder, questions=90)
    assert forget(folder)
    assert open_index(folder).fingerprint == before
    assert not forget(folder)
    (folder / "adapted").mkdir()
    assert not forget(folder)
    (folder / "adapted").rmdir()
    assert sorted(path.name for path in folder.iterdir()) == ["index.json", "meanings", "words"]


def test_a_disk_that_is_full_leaves_the_index_as_it_was(folder, monkeypatch):
    monkeypatch.setattr(adapting, "worth", better)
    before = open_index(folder).fingerprint
    with no_room_for(400), pytest.raises(InputError, match="cannot write"):
        adapt(folder, questions=90)
    assert open_index(folder).fingerprint == before
    assert sorted(path.name for path in folder.iterdir()) == ["index.json", "meanings", "words"]


@pytest.mark.usefixtures("tiny_encoder")
def test_what_cannot_learn_is_refused(tmp_path):
    BM25.build(PAGES, folder=tmp_path / "words")
    Dense.build(PAGES[:19], folder=tmp_path / "small")
    german = [Passage(f"g{n}", "", f"Der Kessel {n} steht im Keller und ist alt.") for n in range(30)]
    Dense.build(german, folder=tmp_path / "german")
    Dense.build([Passage(f"s{n}", "", f"It is the {n}.") for n in range(30)], folder=tmp_path / "short")
    for name, said in {
        "words": "is of kind 'bm25'; an index of kind dense or hybrid learns its corpus",
        "small": "there are 19 passages, and of fewer than 20 there is nothing to learn",
        "german": "most of these passages are not in English",
        "short": "only 0 questions could be made of these 30 passages, and learning takes 60",
    }.items():
        with pytest.raises(InputError, match=said):
            adapt(tmp_path / name)
        assert not (tmp_path / name / "adapted").exists()


def test_no_page_is_both_learned_from_and_held_back():
    asked = make_questions(PAGES, 200)
    begins = [{each.supporting[0] for each in some} for some in (asked.learned, asked.held_back)]
    assert not begins[0] & begins[1]
    assert len(asked.learned) + len(asked.held_back) >= 100
    assert len(asked.learned) > len(asked.held_back) > 20


def test_what_helps_vectors_and_harms_the_search_is_dropped(monkeypatch):
    told = {"vectors": Worth(9, 50.0, 60.0, 10.0, 1.0), "all": Worth(9, 60.0, 58.0, -2.0, 1.0)}
    monkeypatch.setattr(adapting, "dense_of", lambda index: "vectors")
    monkeypatch.setattr(adapting, "found_ids", lambda index, encoder, questions: index)
    monkeypatch.setattr(adapting, "worth", lambda questions, before, after: told[before])
    assert adapting._worth_of_asking("all", None, None, []) == told["all"]
    told["all"] = told["all"]._replace(gain=-0.5)
    assert adapting._worth_of_asking("all", None, None, []) == told["vectors"]
