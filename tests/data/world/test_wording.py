import pytest

from multihop.data.world.dice import Dice
from multihop.data.world.entities.people import GRAMMAR
from multihop.data.world.page_kinds import PAGES
from multihop.data.world.region import BACKLINKS, Region
from multihop.data.world.relations import RELATIONS
from multihop.data.world.values import Date, Entity, Quantity, Word
from multihop.data.world.wording import SILENT, PageKind, Topic, compose

KNOWN = {
    *RELATIONS,
    *BACKLINKS.values(),
    *("demonym", "business", "purpose", "sort", "role", "minutes", "pages", "elected", "home"),
}


@pytest.fixture(scope="module")
def region():
    return Region("seed", 1)


def topics():
    for page in PAGES.values():
        yield from (*page.leads, *page.body, *(Topic(aside) for aside in page.asides))


def test_phrasings_use_only_slots_that_exist():
    assert {fact for topic in topics() for fact in topic.facts} <= KNOWN


def test_asides_state_no_fact():
    for page in PAGES.values():
        assert not any(Topic(aside).facts for aside in page.asides)


def test_every_phrasing_is_one_sentence():
    for topic in topics():
        for way in topic.ways:
            assert way.text.endswith(".")
            assert ". " not in way.text


def test_every_entity_has_a_page_and_every_said_fact_stands_in_its_sentence(region):
    for entity in region.entities:
        assert entity.sentence_of
        for fact, sentence in entity.sentence_of.items():
            assert str(entity.facts[fact]) in entity.sentences[sentence], (entity.name, fact)


def test_no_fact_is_said_twice(region):
    for entity in region.entities:
        for fact in entity.sentence_of:
            value = entity.facts[fact]
            if isinstance(value, Date | Quantity):
                assert sum(str(value) in sentence for sentence in entity.sentences) == 1, entity.text


def test_wording_varies(region):
    films = [entity for entity in region.entities if entity.kind == "film"]
    first = {film.sentences[0].replace(film.name, "").split(" film")[0][:12] for film in films}
    assert len(first) > 10
    assert len({film.sentence_of["director"] for film in films}) == 1
    assert len({film.sentence_of["studio"] for film in films if "studio" in film.sentence_of}) > 3


def test_compose_takes_the_first_lead_that_fits_and_skips_what_was_said():
    page = PageKind(
        leads=(Topic("{name} died on {died}."), Topic("{name} was born in {birthplace}.")),
        body=(Topic("{He} is from {birthplace}."), Topic("{He} married {spouse}.", "{He} played for {team}.")),
        asides=(),
    )
    person = Entity("person", "Ela", {**GRAMMAR["female"], "birthplace": "Harnford", "team": "Lions"})
    compose(person, page, Dice("seed"))
    assert person.sentences == ["Ela was born in Harnford.", "She played for Lions."]
    assert person.sentence_of == {"birthplace": 0, "team": 1}


def test_compose_leaves_out_topics_by_chance():
    page = PageKind((Topic("{name} is here."),), (Topic("{He} sings.", chance=0.0),), ())
    person = Entity("person", "Ela", dict(GRAMMAR["female"]))
    compose(person, page, Dice("seed"))
    assert person.text == "Ela is here."


def test_words_and_numbers_know_how_they_are_written():
    assert f"{Word('umbrella'):A} and {Word('boat'):a}" == "An umbrella and a boat"
    assert f"{Quantity(1200)}" == str(Quantity(1200)) == "1,200"
    assert f"{Date(1901, 2, 3, month_first=True)}" == "February 3, 1901"
    assert "He" in SILENT


def test_lives_make_sense(region):
    for person in (entity for entity in region.entities if entity.kind == "person"):
        facts = person.facts
        if "died" in facts:
            assert 18 <= facts["died"].year - facts["born"].year <= 100, person.text
        for parent in ("father", "mother"):
            if parent in facts:
                assert 15 <= facts["born"].year - facts[parent].facts["born"].year <= 60
        if "spouse" in facts:
            assert facts["spouse"].facts["spouse"] is person
            assert abs(facts["spouse"].facts["born"].year - facts["born"].year) <= 20


def test_works_are_made_in_their_makers_lifetime(region):
    for film in (entity for entity in region.entities if entity.kind == "film"):
        for relation in ("star", "writer", "composer"):
            if relation in film.facts:
                assert 20 <= film.facts["released"] - film.facts[relation].facts["born"].year <= 70
