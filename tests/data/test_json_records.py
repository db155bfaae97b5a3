import gzip
import json

import pytest

from multihop.base import InputError
from multihop.data.record_files import read_records

ROWS = [{"id": "1", "text": "Emma."}, {"id": "2", "text": "Dusk."}]


def fields(path, **options):
    return [dict(record.fields) for record in read_records(path, **options)]


@pytest.mark.parametrize("name", ["data", "questions", "examples", "passages"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_object_that_wraps_the_records(tmp_path, name, indent):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"version": "1.1", name: ROWS}, indent=indent))
    records = list(read_records(path))
    assert [dict(record.fields) for record in records] == ROWS
    assert records[1].where == f"{path}, item 2 of '{name}'"
    zipped = tmp_path / "a.json.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert fields(zipped) == ROWS


@pytest.mark.parametrize(
    "value",
    [
        {"train": ROWS, "dev": ROWS},
        {"data": ROWS, "questions": ROWS},
        {"id": "1", "text": "Emma.", "data": ROWS},
        {"list": ROWS},
    ],
)
def test_what_may_be_a_record_is_one(tmp_path, value):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    assert fields(path) == [value]


def test_lines_that_look_wrapped_are_records(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"data": ROWS}) + "\n" + json.dumps({"data": []}) + "\n")
    assert fields(path) == [{"data": ROWS}, {"data": []}]


def test_one_record_on_several_lines(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ROWS[0], indent=2))
    assert fields(path) == ROWS[:1]


def test_bad_lines_are_left_out_with_their_places(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2,\n[3]\n{"a": "bro\xffken"}\n\n{"a": 5}\n')
    bad = []
    assert fields(path, on_bad=bad.append) == [{"a": 1}, {"a": 5}]
    assert [str(error).partition(":")[0] for error in bad] == [f"{path}, line {number}" for number in (2, 3, 4)]


def test_bad_first_lines_of_a_file_named_json(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": 1,\n{"a": 2}\n')
    bad = []
    assert fields(path, on_bad=bad.append) == [{"a": 2}]
    assert len(bad) == 1


def test_bad_items_of_an_array(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1}, 3]')
    bad = []
    assert fields(path, on_bad=bad.append) == [{"a": 1}]
    assert str(bad[0]).startswith(f"{path}, item 2: must be a JSON object")


def test_half_an_array_is_never_left_out(tmp_path):
    (tmp_path / "a.json").write_text('[{"a": 1}, {"a":')
    with pytest.raises(InputError, match="not a whole JSON array"):
        fields(tmp_path / "a.json", on_bad=lambda error: None)
