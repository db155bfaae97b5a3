import pytest
from pydantic import TypeAdapter

from multihop.lms.bounded_texts import bounded
from multihop.signatures.output_types import Score


def text(**bound):
    return {"type": "string", **bound}


def obj(**properties):
    return {"type": "object", "properties": properties}


def lengths_in(schema):
    if isinstance(schema, dict):
        yield from [schema["maxLength"]] if "maxLength" in schema else []
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else []:
        yield from lengths_in(each)


@pytest.mark.parametrize(
    ("schema", "lengths"),
    [
        (obj(one=text()), [1500]),
        (obj(one=text(), two=text()), [506, 1012]),
        (obj(one=text(), sure={"type": "boolean"}), [1018]),
        (obj(sure={"type": "boolean"}, one=text()), [1500]),
        (obj(many={"type": "array", "items": text(), "maxItems": 10}, one=text()), [87, 174]),
        (obj(endless={"type": "array", "items": text()}), [192]),
        (obj(many={"type": "array", "items": text(), "maxItems": 40}), [60]),
        (obj(either={"anyOf": [text(), {"type": "null"}]}, one=text()), [506, 1012]),
        (obj(pairs={"type": "array", "items": {"$ref": "#/$defs/P"}}) | {"$defs": {"P": obj(a=text())}}, [1018]),
    ],
)
def test_an_answer_of_1024_tokens_has_room_for_all_its_texts(schema, lengths):
    assert list(lengths_in(bounded(schema, 1024))) == lengths


@pytest.mark.parametrize("given", [{"maxLength": 5}, {"enum": ["a", "b"]}, {"const": "a"}, {"pattern": "^a+$"}])
def test_what_ends_anyhow_is_left_as_it_is(given):
    schema = obj(one=text(**given), number={"type": "integer"}, sure={"type": "boolean"})
    assert bounded(schema, 100) == schema


@pytest.mark.parametrize(
    "range_",
    [
        {},
        {"minimum": 0},
        {"maximum": 10},
        {"minimum": 0, "maximum": 1000},
        {"minimum": 0.5, "maximum": 3},
        {"minimum": 3, "maximum": 1},
    ],
)
def test_numbers_of_a_long_an_open_or_no_range_are_not_named(range_):
    schema = obj(year={"type": "integer", **range_})
    assert bounded(schema, 100) == schema


def test_numbers_of_a_short_range_are_named():
    score = bounded(TypeAdapter(Score).json_schema(), 100)
    assert score == {"type": "integer", "enum": list(range(11))}


def test_the_schema_that_was_given_is_not_changed():
    schema = obj(one=text())
    bounded(schema, 100)
    assert schema == obj(one=text())
