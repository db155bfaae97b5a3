import pytest

from multihop.programs import PROGRAMS, create, open_preset, preset_names
from multihop.programs.presets import PresetValue, method_preset, presets_with
from multihop.runtime import settings_of
from multihop.runtime.settings import check_setting


def find_nothing(query, k):
    return []


@pytest.mark.parametrize("name", preset_names())
def test_every_value_is_one_that_its_program_takes_and_has_its_place_or_words_for_it(name):
    preset = open_preset(name)
    for program, part in preset.programs.items():
        create(program, find_nothing, preset=name)
        valid = settings_of(PROGRAMS[program])
        for setting, each in part.settings.items():
            for value in (each.value, *each.on.values()):
                if value is not None:
                    check_setting(program, setting, value, valid)
            assert bool(each.place) != bool(each.what), (program, setting)
        assert part.shots.place
    for each in preset.decoding.values():
        assert bool(each.place) != bool(each.what)
    assert preset.retriever.value
    assert preset.corpus.value


def test_a_preset_of_a_paper_has_what_its_tables_share_and_a_table_what_it_has_otherwise():
    assert open_preset("tor/paper").programs["one-step"].settings["k"].value == 5
    assert open_preset("tor/table-1").programs["one-step"].settings["k"].value == 15
    assert open_preset("tor/table-2").programs == open_preset("tor/paper").programs
    assert open_preset("mzqa/table-6").programs["lats"].shots.value == 15
    assert open_preset("mzqa/table-1").programs["lats"].shots.value == 5


def test_the_presets_of_a_program_are_grouped_by_what_they_say():
    assert list(presets_with("ircot")) == ["mzqa/paper", "resp/paper", "search-r1/paper", "tor/paper"]
    assert presets_with("lats")["mzqa/table-6"] == ["mzqa/table-6"]
    assert sum(map(len, presets_with("tor").values())) == 7
    assert presets_with("ranked-rag") == {}


def test_a_paper_describes_its_own_methods():
    assert {name: found.name for name in PROGRAMS if (found := method_preset(name))} == {
        "tor": "tor/paper", "cor": "tor/paper", "mzqa": "mzqa/paper", "mzqa-bc": "mzqa/paper",
        "resp": "resp/paper", "efficientrag": "efficientrag/paper",
        "search-o1": "search-o1/paper", "search-r1": "search-r1/paper",
    }  # fmt: skip


def test_settings_of_ones_own_count_before_those_of_the_preset():
    made = create("tor", find_nothing, preset="tor/table-1", depth=2, reason="read")
    assert made.settings["depth"] == 2
    assert made.settings["reason"] == ("read",)
    assert made.settings["order"] == "depth-first"
    assert create("tor", find_nothing).settings["order"] == "by-level"


@pytest.mark.parametrize(
    ("value", "here", "sentence"),
    [
        (PresetValue(value=1.0, what="the weight"), None, "The paper does not give the weight; here 1.0."),
        (PresetValue(value=1.0, what="the weight"), 2.0, "The paper does not give the weight; here 2.0."),
        (PresetValue(value=4, what="ends", here="4, at most"), None, "The paper does not give ends; here 4, at most."),
        (PresetValue(value=(5, 3), what="widths"), None, "The paper does not give widths; here 5, 3."),
        (PresetValue(value=3, place="section 1"), 4, ""),
    ],
)  # fmt: skip
def test_a_value_that_the_paper_does_not_give_is_told_in_a_sentence(value, here, sentence):
    assert value.not_given(here) == sentence


def test_decoding_that_the_paper_does_not_give_is_left_to_the_lm():
    assert open_preset("resp/table-1").lm_options() == {"max_tokens": 200}
    assert open_preset("tor/table-1").lm_options() == {"temperature": 0.0}
    assert open_preset("efficientrag/paper").lm_options() == {}
