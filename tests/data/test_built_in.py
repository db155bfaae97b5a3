from collections import Counter

import pytest

from multihop.data.built_in import BUILT_IN, CORPUS_OF, LITTLE, WORLD, built_in_passages, built_in_questions


@pytest.mark.parametrize("name", BUILT_IN)
def test_there_are_as_many_as_is_said(name):
    assert sum(1 for _ in built_in_passages(name)) == BUILT_IN[name].passages
    assert sum(1 for _ in built_in_questions(name)) == sum(BUILT_IN[name].questions.values())


def test_the_parts_of_the_little_encyclopedia_are_as_large_as_is_said():
    parts = Counter({split: sum(1 for _ in built_in_questions(f"{LITTLE}:{split}")) for split in ("train", "dev")})
    assert parts == BUILT_IN[LITTLE].questions


def test_a_part_is_asked_of_the_whole_corpus():
    assert {name: corpus for name, corpus in CORPUS_OF.items() if name != corpus} == {
        "little:train": LITTLE,
        "little:dev": LITTLE,
    }
    assert set(CORPUS_OF.values()) == {WORLD, LITTLE} == set(BUILT_IN)
