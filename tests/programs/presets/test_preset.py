import pytest

from multihop.programs import open_preset
from multihop.programs.presets import PresetValue, ProgramPreset


@pytest.mark.parametrize(
    ("value", "here", "sentence"),
    [
        (PresetValue(value=1.0, what="the weight"), None, "The paper does not give the weight; here 1.0."),
        (PresetValue(value=1.0, what="the weight"), 2.0, "The paper does not give the weight; here 2.0."),
        (PresetValue(value=4, what="ends", here="4, at most"), None, "The paper does not give ends; here 4, at most."),
        (PresetValue(value=4, what="ends", here="4, the most"), 5, "The paper does not give ends; here 5."),
        (PresetValue(value=(5, 3), what="widths"), None, "The paper does not give widths; here 5, 3."),
        (PresetValue(value=3, place="section 1"), None, ""),
        (PresetValue(value=3, place="section 1"), 4, ""),
    ],
)  # fmt: skip
def test_a_value_that_the_paper_does_not_give_is_told_in_a_sentence(value, here, sentence):
    assert value.not_given(here) == sentence


def test_values_differ_between_question_sets():
    k = PresetValue(value=6, on={"musique": 2}, place="table 4")
    part = ProgramPreset(settings={"k": k, "most": PresetValue(what="how many")})
    assert part.values() == part.values("hotpotqa") == {"k": 6}
    assert part.values("musique") == {"k": 2}


def test_what_is_left_open_has_values_to_try():
    lats = open_preset("mzqa/table-1").programs["lats"].settings
    assert {name: each.sweep for name, each in lats.items() if each.sweep} == {
        "k": (1, 3, 6), "iterations": (10, 30, 50), "depth": (4, 7), "exploration": (0.5, 1.0, 2.0)
    }  # fmt: skip


def test_decoding_that_the_paper_does_not_give_is_left_to_the_lm():
    assert open_preset("resp/table-1").lm_options() == {"max_tokens": 200}
    assert open_preset("tor/table-1").lm_options() == {"temperature": 0.0}
    assert open_preset("efficientrag/paper").lm_options() == {}
