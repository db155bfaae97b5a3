"""The reading of gold over real training questions, where they are: all of them, so it takes some seconds."""

import re

import pytest

from multihop.base.country_names import countries
from multihop.data import open_questions
from multihop.data.gold import read_gold
from multihop.data.gold.whole_words import as_written

SHARES = {"hotpotqa": 1.0, "2wikimultihopqa": 0.97, "musique": 1.0}
"""The least share of the training questions that is read."""


@pytest.mark.parametrize("name", SHARES)
def test_nearly_all_real_training_questions_are_read_and_every_hop_holds_what_it_says(name, shared_data):
    reading = read_gold(open_questions(shared_data / f"{name}.train.jsonl.gz"), ())
    assert len(reading.paths) >= SHARES[name] * (len(reading.paths) + len(reading.unread))
    assert all(each.id and each.reason for each in reading.unread)
    for path in reading.paths:
        assert {page.id for page in path.passages} == set(path.question.supporting)
        assert path.tells_hops == (name != "hotpotqa")
        assert path.compares == ("comparison" in path.question.type)
        for place, hop in enumerate(path.hops):
            assert hop.sentence
            assert hop.answer in hop.sentence
            assert all(0 <= needed < place for needed in hop.needs)
            assert hop.sub_question.endswith("?") == path.tells_hops
            assert not re.search(r"#\d|>>", hop.sub_question)
            assert not path.tells_hops or hop.sentence in hop.passage.text
        last = path.hops[-1].answer
        assert not (path.tells_hops and not path.compares) or any(
            as_written(last, each) or as_written(each, last) or countries(last) & countries(each)
            for each in path.question.answers
        )
