"""A question put as a name: each rule, and what has none."""

import pytest

from multihop.training.lessons.question_names import as_name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the capital of Italy?", "the capital of Italy"),
        ("Who was the mayor of Rome in 1960?", "the mayor of Rome in 1960"),
        ("who wrote Emma", "the person who wrote Emma"),
        ("Who is Jane Austen married to?", "the person that Jane Austen is married to"),
        ("Who did Emma marry?", "the person that Emma marry"),
        ("Who has written Emma?", "the person who has written Emma"),
        ("Which record label released Red?", "the record label that released Red"),
        ("What party had a victory in 2015?", "the party that had a victory in 2015"),
        ("Which country is Ada a citizen of?", "the country that Ada is a citizen of"),
        ("What city is the tower in?", "the city that the tower is in"),
        ("Which country does Etna belong to?", "the country that Etna belong to"),
        ("In what city was Jane Austen born?", "the city in which Jane Austen was born"),
        ("On which continent is Etna?", "the continent on which Etna is"),
        ("Where is Etna located?", "the place where Etna is located"),
        ("Where did Ada die?", "the place where Ada die"),
        ("Where is the the Mosque located?", "the place where the Mosque is located"),
    ],
)
def test_a_question_becomes_a_name_of_its_answer(question, name):
    assert as_name(question) == name


@pytest.mark.parametrize(
    "question", ["When was Emma written?", "How many novels are there?", "Name a novel.", "", "What is her first name?"]
)
def test_a_question_without_a_rule_has_none(question):
    assert as_name(question) is None
