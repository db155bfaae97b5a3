import json
import subprocess
import sys
import tracemalloc
from collections import Counter
from itertools import islice

import pytest
import ujson

from multihop.base import InputError
from multihop.data import open_questions
from multihop.data.files.record import Record
from multihop.data.formats.rows import question_row, read_row
from multihop.data.world import World
from multihop.data.world.world import TYPES


@pytest.fixture(scope="module")
def world():
    return World()


@pytest.fixture(scope="module")
def passages(world):
    return {passage.id: passage for passage in world.passages()}


@pytest.fixture(scope="module")
def questions(world):
    return list(world.questions())


def test_the_default_world_has_the_promised_size(world, passages, questions):
    assert len(questions) == len({question.id for question in questions}) == 200
    assert len(passages) == world.passages_count == 3060
    assert len({passage.title for passage in passages.values()}) == len(passages)
    assert len({question.question for question in questions}) == 200


def test_kinds_come_in_the_promised_mix(questions):
    names = Counter(f"bridge{q.hops}" if q.type == "bridge" else q.type for q in questions)
    assert names == {kind: 2 * count for kind, count in Counter(TYPES).items()}


@pytest.mark.parametrize(("count", "least"), [(0, 1), (1, 1), (7, 1000), (250, 1001), (450, 10)])
def test_any_number_of_questions_and_at_least_the_passages_asked_for(count, least):
    world = World(questions=count, passages=least, seed=3)
    assert len(list(world.questions())) == count
    assert sum(1 for _ in world.passages()) == world.passages_count >= least


def test_the_same_seed_gives_the_same_world_and_another_seed_another(world, passages, questions):
    again = World(questions=200, seed=0)
    assert list(again.passages()) == list(passages.values())
    assert list(again.questions()) == questions == list(world.questions())
    assert {p.text for p in islice(World(seed=1).passages(), 60, 600)}.isdisjoint(p.text for p in passages.values())


def test_another_process_with_another_hash_seed_gives_the_same_world():
    code = (
        "import hashlib; from multihop.data.world import World; w = World(questions=20, passages=1000, seed=5)\n"
        "print(hashlib.sha256(repr((list(w.passages()), list(w.questions()))).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_world_looks_the_same_wherever_its_questions_are_split_off():
    small, large = World(questions=10, passages=2000, seed=4), World(questions=40, passages=2000, seed=4)
    assert list(small.passages()) == list(large.passages())


def test_paragraphs_are_of_encyclopedic_length(passages):
    lengths = sorted(len(passage.text.split()) for passage in passages.values())
    assert lengths[len(lengths) // 10] >= 40
    assert lengths[len(lengths) * 9 // 10] <= 110
    assert 60 <= sum(lengths) / len(lengths) <= 85


def test_paragraphs_are_clean_prose(passages):
    for passage in passages.values():
        assert not set(passage.text) & set("{}<>"), passage
        assert "  " not in passage.text
        assert ".." not in passage.text
        assert " the the " not in passage.text.lower()
        assert passage.text[0].isupper() or passage.text[0] == '"'
        assert passage.text.endswith(".")


def test_titles_are_made_of_shared_words(passages):
    words = Counter(word for passage in passages.values() for word in passage.title.split())
    assert sum(1 for count in words.values() if count >= 5) > 300


def test_namesakes_are_told_apart_in_titles(passages):
    bracketed = [passage for passage in passages.values() if passage.title.endswith(")")]
    names = Counter(passage.title.rsplit(" (", 1)[0] for passage in bracketed)
    assert len(bracketed) > 40
    assert set(names.values()) == {2}


def test_a_large_world_streams_through_little_memory():
    world = World(questions=100, passages=30_000, seed=2)
    next(world.passages())
    tracemalloc.start()
    try:
        count = sum(1 for _ in islice(world.passages(), 3_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 3_000
    assert peak < 8_000_000


def test_write_round_trips(tmp_path):
    world = World(questions=30, passages=1000, seed=9)
    world.write(tmp_path / "world")
    assert list(open_questions(tmp_path / "world" / "questions.jsonl")) == list(world.questions())
    rows = [ujson.loads(line) for line in (tmp_path / "world" / "corpus.jsonl").read_text().splitlines()]
    assert rows == [passage._asdict() for passage in world.passages()]
    about = ujson.loads((tmp_path / "world" / "world.json").read_text())
    assert about == {"version": 1, "seed": 9, "questions": 30, "passages": 1060}


def test_write_replaces_a_world_but_nothing_else(tmp_path):
    World(questions=1, passages=1000).write(tmp_path / "world")
    World(questions=2, passages=1000).write(tmp_path / "world")
    assert len((tmp_path / "world" / "questions.jsonl").read_text().splitlines()) == 2
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1").write_text("years of work")
    with pytest.raises(InputError, match=r"no world\.json in it"):
        World(questions=1, passages=1000).write(tmp_path / "thesis")
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter1"]


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def broken(question):
        raise OSError("disk full")

    monkeypatch.setattr("multihop.data.world.world.question_row", broken)
    with pytest.raises(OSError, match="disk full"):
        World(questions=1, passages=1000).write(tmp_path / "world")
    assert list(tmp_path.iterdir()) == []


def test_rows_are_what_the_reader_reads(questions):
    for question in questions[:50]:
        assert read_row(Record(json.loads(json.dumps(question_row(question))), "here")) == question


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"questions": -1}, "World: questions must be a whole number of 0 or more, not -1."),
        ({"passages": 0}, "World: passages must be a whole number of 1 or more, not 0."),
        ({"seed": "x"}, "World: seed must be a whole number, not 'x'."),
        ({"questions": 2.5}, "World: questions must be a whole number of 0 or more, not 2.5."),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(InputError) as caught:
        World(**settings)
    assert str(caught.value) == message
