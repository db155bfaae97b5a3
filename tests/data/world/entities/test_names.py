from itertools import product

import pytest

from multihop.data.world import words
from multihop.data.world.dice import Dice
from multihop.data.world.entities.name_patterns import AWARDS, BANDS, COMPANIES, TITLES, Pattern, plural
from multihop.data.world.entities.names import CLASSES, SHARES, Names, given_names, surnames


def names(region, seed="seed"):
    return Names(seed, region, Dice(f"{seed}/{region}"))


def test_given_names_and_surnames_are_many_and_distinct():
    female, male = given_names()["female"], given_names()["male"]
    assert len({*female, *male}) == len(female) + len(male) > 900
    assert len(set(surnames())) == len(surnames()) > 1900
    assert len(female) % CLASSES == len(male) % CLASSES == 0


@pytest.mark.parametrize(
    "endings", [words.PLACE_ENDINGS, words.PROVINCE_ENDINGS, words.FAR_ENDINGS, ("", "a", "e", "o")]
)
def test_syllables_spell_no_name_twice(endings):
    spelled = [*map("".join, product(words.PLACE_STEMS, words.PLACE_MIDDLES, endings))]
    assert len(set(spelled)) == len(spelled)


@pytest.mark.parametrize(
    "pattern", [pattern for patterns in (TITLES, COMPANIES, BANDS, AWARDS) for pattern in patterns]
)
def test_patterns_write_every_number_differently(pattern):
    step = max(1, pattern.size // 20_000)
    written = [pattern(number) for number in range(0, pattern.size, step)]
    assert len(set(written)) == len(written)


def test_a_pattern_reads_its_lists_like_digits():
    pattern = Pattern(lambda tens, ones: tens + ones, ("a", "b"), ("x", "y", "z"))
    assert [pattern(number) for number in range(pattern.size)] == ["ax", "bx", "ay", "by", "az", "bz"]


@pytest.mark.parametrize("pool", ["place", "province", "river", "work", "band", "award"])
def test_regions_share_no_name(pool):
    shares = {
        "place": "places",
        "work": "works",
        "band": "bands",
        "award": "awards",
        "province": "provinces",
        "river": "rivers",
    }
    taken = []
    for region in (0, 1, 2, 57, 900):
        region_names = names(region)
        taken += [getattr(region_names, pool)() for _ in range(SHARES[shares[pool]])]
    assert len(set(taken)) == len(taken)


def test_regions_share_no_person_even_when_they_reuse_a_pair_of_names():
    taken = []
    for region in (3, 3 + CLASSES, 3 + 21 * CLASSES, 3 + 22 * CLASSES, 4):
        region_names = names(region)
        taken += [region_names.person(gender)[0] for gender in ("female", "male") * 300]
    assert len(set(taken)) == len(taken)


def test_children_get_the_family_name_they_are_given():
    region_names = names(1)
    _, family = region_names.person("male")
    assert all(region_names.person("female", family)[0].endswith(surnames()[family]) for _ in range(6))


def test_an_exhausted_family_name_makes_way_for_another():
    region_names = names(1)
    people = [region_names.person("female", 5) for _ in range(40)]
    assert len({name for name, _ in people}) == 40
    assert {family for _, family in people} != {5}


def test_some_people_of_a_small_world_have_initials():
    region_names = names(1)
    people = [region_names.person("female")[0] for _ in range(300)]
    assert 10 < sum("." in name for name in people) < 100


def test_a_region_that_asks_for_too_much_is_told():
    region_names = names(1)
    with pytest.raises(OverflowError, match="a region has only 16 rivers to name"):
        [region_names.river() for _ in range(17)]


@pytest.mark.parametrize(
    ("noun", "several"),
    [("Child", "Children"), ("Thief", "Thieves"), ("City", "Cities"), ("Witch", "Witches"), ("Waltz", "Waltzes")],
)
def test_plurals(noun, several):
    assert plural(noun) == several
