import pytest

from multihop import InputError
from multihop.experiments.sweeping.over import parse_over


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("exploration=0.5,1,2", {"exploration": [0.5, 1, 2]}),
        ("reuse=none, transitions", {"reuse": ["none", "transitions"]}),
        ("max-passages=3", {"max_passages": [3]}),
        ("sure=true,false,null", {"sure": [True, False, None]}),
        ("widths=[5,3,3],[3,3,3]", {"widths": [[5, 3, 3], [3, 3, 3]]}),
        ("reasons=[review,judge],[]", {"reasons": [["review", "judge"], []]}),
        ('budget={"calls":5},{"calls":9}', {"budget": [{"calls": 5}, {"calls": 9}]}),
        ('name="a,b",c', {"name": ["a,b", "c"]}),
    ],
)
def test_values_are_read_as_settings_are(written, values):
    assert parse_over([written]) == values


def test_a_setting_given_twice_has_the_values_of_both():
    assert parse_over(["k=3", "depth=2", "k=5,7"]) == {"k": [3, 5, 7], "depth": [2]}


@pytest.mark.parametrize("written", ["k", "k=", "=3", "k=3,,5", "k=3,"])
def test_what_is_no_list_of_values_is_refused(written):
    with pytest.raises(InputError) as refused:
        parse_over([written])
    assert str(refused.value) == f"a sweep goes over NAME=VALUE,VALUE, such as exploration=0.5,1,2, not '{written}'."
