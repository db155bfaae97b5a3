import datasets
import pytest

from multihop.base import InputError
from multihop.data import hub, load_from_hub
from multihop.data.files.record import Record
from multihop.data.formats.hotpotqa import read_hotpotqa, read_two_wiki
from multihop.data.formats.musique import read_musique

from .formats.layouts import HOTPOTQA, MUSIQUE, TWO_WIKI, as_columns

TWO_CONFIGS = """---
configs:
- config_name: distractor
  data_files:
  - {split: train, path: distractor/train-*}
  - {split: validation, path: distractor/validation-*}
- config_name: fullwiki
  data_files:
  - {split: validation, path: fullwiki/validation-*}
---
"""


@pytest.fixture
def home(tmp_path):
    """A folder laid out like a set on the hub."""

    def save(place, rows):
        path = tmp_path / "set" / f"{place}-00000.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        datasets.Dataset.from_list(rows).to_parquet(path)
        return str(tmp_path / "set")

    return save


@pytest.fixture
def hotpotqa_home(home, tmp_path):
    home("distractor/train", [as_columns({**HOTPOTQA, "_id": "t1"})])
    home("distractor/validation", [as_columns(HOTPOTQA), as_columns({**HOTPOTQA, "_id": "5a0002"})])
    folder = home("fullwiki/validation", [as_columns({**HOTPOTQA, "context": HOTPOTQA["context"][:1]})])
    (tmp_path / "set" / "README.md").write_text(TWO_CONFIGS)
    return folder


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    return tmp_path / "cache"


def test_rows_of_hotpotqa_as_the_hub_has_them(hotpotqa_home):
    questions = list(load_from_hub(hotpotqa_home, config="distractor"))
    assert [question.id for question in questions] == ["5a0001", "5a0002"]
    assert questions[0] == read_hotpotqa(Record(HOTPOTQA, ""))


def test_configurations_and_splits(hotpotqa_home):
    assert [question.id for question in load_from_hub(hotpotqa_home, config="distractor", split="train")] == ["t1"]
    assert len(next(load_from_hub(hotpotqa_home, config="fullwiki")).passages) == 1


def test_without_streaming_the_set_is_kept(hotpotqa_home, cache):
    questions = list(load_from_hub(hotpotqa_home, config="distractor", streaming=False))
    assert questions == list(load_from_hub(hotpotqa_home, config="distractor"))
    assert list(cache.rglob("*.arrow"))


def test_rows_of_musique_and_two_wiki(home, tmp_path):
    folder = home("validation", [MUSIQUE])
    assert list(load_from_hub(folder)) == [read_musique(Record(MUSIQUE, ""))]
    folder = home("validation", [as_columns(TWO_WIKI)])
    assert list(load_from_hub(folder)) == [read_two_wiki(Record(as_columns(TWO_WIKI), ""))]


def test_names_the_hub_does_not_know(hotpotqa_home):
    with pytest.raises(InputError, match=r"cannot load hub:.*/set/easy:validation: .*easy.*distractor"):
        list(load_from_hub(hotpotqa_home, config="easy"))
    with pytest.raises(InputError, match=r"cannot load hub:.*/set/distractor:test: .*test"):
        list(load_from_hub(hotpotqa_home, config="distractor", split="test"))


def test_a_set_with_configurations_asks_for_one(hotpotqa_home):
    with pytest.raises(InputError, match=r"cannot load hub:.*/set:validation: .*\['distractor', 'fullwiki'\]"):
        list(load_from_hub(hotpotqa_home))


def test_a_set_in_an_unknown_layout(home):
    folder = home("validation", [{"prompt": "Who?"}])
    with pytest.raises(InputError, match=r"/set:validation, row 1: not a question in a known layout"):
        list(load_from_hub(folder))


def test_a_bad_row_is_named(home):
    folder = home("validation", [MUSIQUE, {**MUSIQUE, "question": ""}])
    questions = load_from_hub(folder)
    next(questions)
    with pytest.raises(InputError, match=r"/set:validation, row 2: 'question' is empty"):
        next(questions)


def test_a_connection_lost_on_the_way(monkeypatch):
    def rows():
        yield MUSIQUE
        raise ConnectionError("the hub went away.\nTry again.\nUsage: ...")

    monkeypatch.setattr(datasets, "load_dataset", lambda *names, **settings: rows())
    questions = load_from_hub("musique")
    assert next(questions).id == MUSIQUE["id"]
    with pytest.raises(
        InputError, match=r"^hub:dgslibisey/MuSiQue:validation, after row 1: the hub went away\. Try again\.$"
    ):
        next(questions)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"name": "hotpotqa"}, ("hotpotqa/hotpot_qa", "distractor", "validation")),
        ({"name": "hotpotqa", "config": "fullwiki", "split": "test"}, ("hotpotqa/hotpot_qa", "fullwiki", "test")),
        ({"name": "hotpotqa/hotpot_qa", "config": "distractor"}, ("hotpotqa/hotpot_qa", "distractor", "validation")),
        ({"name": "musique", "split": "train"}, ("dgslibisey/MuSiQue", None, "train")),
        ({"name": "flashrag-hotpotqa", "config": "nq"}, ("RUC-NLPIR/FlashRAG_datasets", "nq", "dev")),
    ],
)
def test_what_the_hub_is_asked_for(monkeypatch, settings, expected):
    asked = []

    def load_dataset(name, config, *, split, streaming):
        asked.append((name, config, split))
        assert streaming
        return [MUSIQUE]

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    list(load_from_hub(**settings))
    assert asked == [expected]


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("hub:a/b", hub.HubName("a/b", None, "validation")),
        ("hub:a/b:train", hub.HubName("a/b", None, "train")),
        ("hub:a/b/c", hub.HubName("a/b", "c", "validation")),
        ("hub:a/b/c:train[:10]", hub.HubName("a/b", "c", "train[:10]")),
        ("hub:2wikimultihopqa", hub.HubName("framolfese/2WikiMultihopQA", None, "validation")),
        ("hub:musique:train", hub.HubName("dgslibisey/MuSiQue", None, "train")),
        ("hub:bamboogle", hub.HubName("chiayewken/bamboogle", None, "test")),
        ("hub:chiayewken/bamboogle", hub.HubName("chiayewken/bamboogle", None, "test")),
        ("hub:RUC-NLPIR/FlashRAG_datasets/musique", hub.HubName("RUC-NLPIR/FlashRAG_datasets", "musique", "dev")),
    ],
)
def test_spellings(spelling, expected):
    assert hub.parse(spelling) == expected
    assert hub.parse(str(expected)) == expected


def test_bad_spellings():
    with pytest.raises(InputError, match="unknown question set 'hotpotq'; did you mean 'hotpotqa'"):
        hub.parse("hub:hotpotq")
    for spelling in ("hub:a/b/c/d", "hub:a//c", "hub:/b"):
        with pytest.raises(InputError, match=r"write hub:OWNER/NAME\[/CONFIG\]\[:SPLIT\]"):
            hub.parse(spelling)
