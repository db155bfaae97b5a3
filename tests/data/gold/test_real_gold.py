"""The reading of gold over real training questions, where they are: all of them, so it takes some seconds."""

import re

import pytest

from multihop.base.country_names import countries
from multihop.data import open_questions
from multihop.data.gold import read_gold
from multihop.data.gold.whole_words import as_written

SHARES = {"hotpotqa": 0.97, "2wikimultihopqa": 0.97, "musique": 0.98}
"""The least share of the training questions that is read."""


@pytest.fixture(scope="module")
def readings():
    return {}


def read(name, shared_data, readings):
    if name not in readings:
        readings[name] = read_gold(open_questions(shared_data / f"{name}.train.jsonl.gz"), ())
    return readings[name]


@pytest.mark.parametrize("name", SHARES)
def test_nearly_all_real_training_questions_are_read(name, shared_data, readings):
    reading = read(name, shared_data, readings)
    assert len(reading.paths) >= SHARES[name] * (len(reading.paths) + len(reading.unread))
    assert all(each.id and each.reason for each in reading.unread)


@pytest.mark.parametrize("name", SHARES)
def test_every_hop_of_them_holds_what_it_says(name, shared_data, readings):
    for path in read(name, shared_data, readings).paths:
        assert {page.id for page in path.passages} == set(path.question.supporting)
        for place, hop in enumerate(path.hops):
            assert hop.sentence in hop.passage.text
            assert hop.answer in hop.sentence
            assert all(0 <= needed < place for needed in hop.needs)
            assert hop.sub_question.endswith("?") or hop.sub_question == path.question.question
            assert not re.search(r"#\d|>>|What is known about", hop.sub_question)
            assert hop.by_rule == (name == "hotpotqa" and hop.sub_question != path.question.question)
        assert path.compares == ("comparison" in path.question.type)
        last = path.hops[-1].answer
        assert path.compares or any(
            as_written(last, each) or as_written(each, last) or countries(last) & countries(each)
            for each in path.question.answers
        )


def test_sub_questions_by_rule_use_no_word_that_only_a_paragraph_tells(shared_data, readings):
    for path in read("hotpotqa", shared_data, readings).paths:
        if path.compares or not path.hops[1].needs:
            continue
        asked = set(re.findall(r"\w+", path.question.question.lower()))
        told = {"who", "what", "which", "is", "the", "or", "connected", "with", "does", "this", "describe"}
        assert set(re.findall(r"\w+", path.hops[0].sub_question.lower())) <= asked | told
