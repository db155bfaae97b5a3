from collections import defaultdict

import pytest

from multihop.data.world import World
from multihop.data.world.chains import KINSHIP
from multihop.data.world.mentions import answers
from multihop.data.world.region import Region
from multihop.data.world.relations import RELATIONS
from multihop.data.world.values import Entity

SEED = 11


@pytest.fixture(scope="module")
def world():
    return World(questions=600, passages=4000, seed=SEED)


@pytest.fixture(scope="module")
def questions(world):
    return list(world.questions())


@pytest.fixture(scope="module")
def entities(world):
    regions = [Region(world._name, number) for number in range(world.regions + 1)]
    return {entity.title: entity for region in regions for entity in region.entities}


@pytest.fixture(scope="module")
def pages(entities):
    return {entity.id: entity for entity in entities.values()}


@pytest.fixture(scope="module")
def facts(entities):
    """All facts of the world, as (subject title, relation label) to the objects' accepted names."""
    known = defaultdict(list)
    for entity in entities.values():
        for relation, value in entity.facts.items():
            if relation in RELATIONS:
                known[entity.title, RELATIONS[relation].label].append(value)
    return known


def bridges(questions):
    return [question for question in questions if question.type == "bridge"]


def shown(value):
    return value.title if isinstance(value, Entity) else str(value)


def test_every_hop_is_a_fact_that_its_gold_sentence_states(questions, pages):
    for question in questions:
        sentences = {pages[page].sentences[number] for page, number in question.supporting_sents}
        for hop in question.decomposition:
            page = pages[hop.passage]
            assert hop.passage in question.supporting
            assert any(hop.answer in sentence for sentence in sentences) or hop.answer == page.name, (question, hop)


def test_the_answer_stands_in_the_gold_paragraphs(questions, pages):
    for question in questions:
        text = " ".join(f"{pages[page].title} {pages[page].text}" for page in question.supporting)
        if question.answer not in ("yes", "no"):
            assert question.answer in text, question


def test_gold_sentences_come_from_all_gold_paragraphs_and_no_others(questions):
    for question in questions:
        assert {page for page, _ in question.supporting_sents} == set(question.supporting)
        assert {hop.passage for hop in question.decomposition} == set(question.supporting)


def test_paragraph_counts_follow_the_kind(questions):
    for question in questions:
        wanted = {"comparison": 2, "bridge_comparison": 4, "inference": 2}.get(question.type, question.hops)
        assert len(set(question.supporting)) == wanted == question.hops == len(question.decomposition), question


def test_each_hop_asks_about_the_answer_before_it(questions):
    for question in questions:
        if question.type in ("bridge", "inference"):
            for earlier, later in zip(question.decomposition, question.decomposition[1:], strict=False):
                assert earlier.answer in later.question, question
            assert question.decomposition[-1].answer == question.answer
        if question.type == "bridge_comparison":
            for earlier, later in zip(question.decomposition[:2], question.decomposition[2:], strict=True):
                assert earlier.answer in later.question, question


def test_bridges_never_name_what_is_to_be_found(questions):
    for question in bridges(questions):
        for hop in question.decomposition:
            assert hop.answer not in question.question, question


def test_bridge_comparisons_never_name_the_people_compared(questions):
    for question in questions:
        if question.type == "bridge_comparison":
            assert not any(hop.answer in question.question for hop in question.decomposition), question


def test_no_earlier_paragraph_gives_a_later_answer_away(questions, pages):
    for question in [q for q in questions if q.type in ("bridge", "inference")]:
        for place, hop in enumerate(question.decomposition):
            for later in question.decomposition[place + 1 :]:
                assert later.answer not in pages[hop.passage].text, question


def test_every_triple_holds_and_has_one_object_only(questions, facts):
    for question in questions:
        for hop in question.decomposition:
            subject, label, value = hop.triple
            assert [shown(known) for known in facts[subject, label]] == [value], hop


def test_inverse_hops_have_one_subject_only(questions, facts):
    inverse = 0
    for question in bridges(questions):
        for hop in question.decomposition:
            subject, label, value = hop.triple
            if hop.answer != value.split(" (")[0] and hop.answer in subject:
                inverse += 1
                subjects = {
                    s for (s, relation), values in facts.items() if relation == label and value in map(shown, values)
                }
                assert subjects == {subject}, hop
    assert inverse > 5


def test_no_other_page_has_the_name_a_question_starts_from(questions, entities):
    namesakes = defaultdict(list)
    for entity in entities.values():
        namesakes[entity.name].append(entity)
    told_apart = 0
    for question in bridges(questions):
        start = entities[question.decomposition[0].triple[0]]
        if start.name in question.question and len(namesakes[start.name]) > 1:
            told_apart += 1
            mark = start.title[len(start.name) + 2 : -1]
            assert f"the {mark} {start.name}" in question.question, question
    assert told_apart > 5


def test_comparisons_are_right(questions, facts):
    orders = 0
    for question in questions:
        if question.type not in ("comparison", "bridge_comparison"):
            continue
        (first,), (second,) = (facts[hop.triple[:2]] for hop in question.decomposition[-2:])
        if question.answer in ("yes", "no"):
            assert (question.answer == "yes") == (shown(first) == shown(second)), question
        elif question.answer in answers(first):
            assert shown(first) == shown(second)
        else:
            orders += 1
            low, high = (tuple(v[:3]) if isinstance(v, tuple) else v for v in (first, second))
            starts = [hop.triple[0].split(" (")[0] for hop in question.decomposition[:2]]
            downward = ("first", "earlier", "older", "shorter", "fewer")
            wanted = min if any(f" {word}" in question.question for word in downward) else max
            assert question.answer == starts[(low, high).index(wanted(low, high))], question
    assert orders > 50


def test_yes_and_no_are_about_as_common():
    given = [question.answer for question in World(questions=800, passages=4000, seed=5).questions()]
    assert 0.35 < given.count("yes") / (given.count("yes") + given.count("no")) < 0.65


def test_kinship_follows_from_the_family_tree(questions, entities):
    for question in [q for q in questions if q.type == "inference"]:
        person = entities[question.decomposition[0].triple[0]]
        kinship = next(name for name in sorted(KINSHIP.values(), key=len, reverse=True) if name in question.question)
        relatives = [
            person.facts[near].facts[far]
            for (near, far), name in KINSHIP.items()
            if name == kinship and near in person.facts and far in person.facts[near].facts
        ]
        assert [relative.name for relative in relatives] == [question.answer]


def test_questions_and_hops_are_worded_in_many_ways(questions):
    openings = {" ".join(question.question.split()[:3]) for question in questions}
    assert len(openings) > 60
    for question in questions:
        for text in (question.question, *(hop.question for hop in question.decomposition)):
            assert text[0].isupper()
            assert text.endswith("?")
            assert "{" not in text
