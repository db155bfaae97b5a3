"""The known sets by their names, and the rows of sets on the hub."""

from pathlib import Path

import datasets
import pytest
from hub_sets import as_columns

from multihop.base import InputError
from multihop.data import known_set, known_sets, open_corpus, open_questions
from multihop.data.formats import read_hotpotqa, read_musique
from multihop.data.named_sets import HubName, parse_hub_name, read_hub
from multihop.data.questions import read_questions
from multihop.data.record import Record

from .layouts import HOTPOTQA, MUSIQUE

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text()
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


def questions_of(folder, config=None, split="validation"):
    """The questions of a folder that is laid out like a set on the hub."""
    source = HubName(str(folder), config, split)
    return read_questions(read_hub(source), str(source))


def write(folder, place, *rows):
    path = folder / f"{place}-00000.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    datasets.Dataset.from_list(rows).to_parquet(path)


def test_a_set_with_configurations_and_splits(tmp_path):
    write(tmp_path, "distractor/train", as_columns({**HOTPOTQA, "_id": "t1"}))
    write(tmp_path, "distractor/validation", as_columns(HOTPOTQA), as_columns({**HOTPOTQA, "_id": "5a0002"}))
    write(tmp_path, "fullwiki/validation", as_columns({**HOTPOTQA, "context": HOTPOTQA["context"][:1]}))
    (tmp_path / "README.md").write_text(TWO_CONFIGS)
    first, second = questions_of(tmp_path, "distractor")
    assert (first, second.id) == (read_hotpotqa(Record(HOTPOTQA, "")), "5a0002")
    assert [question.id for question in questions_of(tmp_path, "distractor", "train")] == ["t1"]
    assert len(next(questions_of(tmp_path, "fullwiki")).passages) == 1
    for config, split, problem in (
        ("easy", "validation", "/easy:validation: .*easy.*distractor"),
        ("distractor", "test", "/distractor:test: .*test"),
        (None, "validation", r":validation: .*\['distractor', 'fullwiki'\]"),
    ):
        with pytest.raises(InputError, match=f"cannot load hub:.*{problem}"):
            list(questions_of(tmp_path, config, split))


def test_the_rows_of_a_set_are_questions_and_a_corpus_until_one_is_bad_or_the_connection_is_lost(monkeypatch):
    rows = [MUSIQUE]
    monkeypatch.setattr(datasets, "load_dataset", lambda *names, **settings: iter(rows))
    (question,) = open_questions("hub:musique:train", limit=5)
    assert question == read_musique(Record(MUSIQUE, ""))
    assert list(open_corpus("hub:dgslibisey/MuSiQue")) == list(question.passages)
    rows.append({**MUSIQUE, "question": ""})
    with pytest.raises(InputError, match=r"^hub:dgslibisey/MuSiQue:validation, row 2: 'question' is empty"):
        list(open_questions("hub:musique"))

    def breaking():
        yield MUSIQUE
        raise ConnectionError("the hub went away.\nTry again.\nUsage: ...")

    monkeypatch.setattr(datasets, "load_dataset", lambda *names, **settings: breaking())
    with pytest.raises(InputError, match=r":validation, after row 1: the hub went away\. Try again\.$"):
        list(open_questions("hub:musique"))


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("hub:a/b", HubName("a/b", None, "validation")),
        ("hub:a/b/c", HubName("a/b", "c", "validation")),
        ("hub:a/b/c:train[:10]", HubName("a/b", "c", "train[:10]")),
        ("hub:musique:train", HubName("dgslibisey/MuSiQue", None, "train")),
        ("hub:bamboogle", HubName("chiayewken/bamboogle", None, "test")),
        ("hub:chiayewken/bamboogle", HubName("chiayewken/bamboogle", None, "test")),
        ("hub:RUC-NLPIR/FlashRAG_datasets/musique", HubName("RUC-NLPIR/FlashRAG_datasets", "musique", "dev")),
    ],
)
def test_spellings(spelling, expected):
    assert parse_hub_name(spelling) == expected
    assert parse_hub_name(str(expected)) == expected
    with pytest.raises(InputError, match=r"write hub:OWNER/NAME\[/CONFIG\]\[:SPLIT\]"):
        parse_hub_name(f"hub:/{spelling}/")


UNSEEN = ("wiki21", "wiki-fixed")
"""Corpora whose makers do not say how many passages they have."""


@pytest.mark.parametrize("name", known_sets())
def test_every_entry_is_complete(name):
    known = known_set(name)
    assert all((known.title, known.what, known.licence, known.citation, known.homepage))
    assert bool(known.repository) == (not known.elsewhere)
    assert bool(known.repository) == (known.megabytes > 0) or name in UNSEEN
    assert set(known.files) <= {"train", "dev", "test", "corpus"}
    assert set(known.questions) == set(known.splits)
    assert known.corpus_of in ("", *known.splits)
    assert not (known.corpus_of and "corpus" in known.files)
    assert bool(known.passages) == ("corpus" in known.files) or name in UNSEEN
    assert known.rules in ("hotpotqa", "2wikimultihopqa", "musique")
    assert len(known.repository.split("/")) == (2 if known.repository else 1)
    assert not any(pattern.startswith("/") for pattern in known.files.values())


def test_the_table_has_every_set_as_the_catalogue_has_it():
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    assert [row[0].strip("`") for row in rows] == list(known_sets())
    for (_, questions, corpus, licence), known in zip(rows, known_sets().values(), strict=True):
        assert licence == known.licence
        counts = [f"{known.questions[split]:,} {split}" for split in known.splits]
        assert questions == (", ".join(counts) or "none")
        counted = f"{known.passages:,} passages" if known.passages else "passages" if known.has_corpus else "none"
        assert corpus == (f"the paragraphs of {known.corpus_of}" if known.corpus_of else counted)
