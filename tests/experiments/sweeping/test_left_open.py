import pytest

from multihop import InputError
from multihop.experiments.sweeping.left_open import preset_to_sweep
from multihop.experiments.sweeping.points import plan_points
from multihop.programs import create, program_named
from multihop.programs.presets import preset_for, presets_with


def test_the_first_preset_that_has_the_program():
    for program in ("mzqa", "iter-retgen", "tot-dfs"):
        name, part = preset_to_sweep(program)
        assert name == next(iter(presets_with(program)))
        assert part == preset_for(name, program)
    assert preset_to_sweep("ircot", "resp/table-1")[0] == "resp/table-1"


@pytest.mark.parametrize(
    ("program", "preset", "said"),
    [
        ("ranked-rag", None, "no paper's preset has 'ranked-rag'; say what to sweep, such as --over k=3,5,10."),
        ("mine.json", None, "no paper's preset has 'mine.json'; say what to sweep, such as --over k=3,5,10."),
        ("one-step", "resp/paper", "'resp/paper' leaves nothing of 'one-step' open for which a range is known; "),
        ("sure", "tor/paper", "preset 'tor/paper' "),
        ("mzqa", "mzqa/table", "unknown preset 'mzqa/table'; did you mean 'mzqa/table-"),
    ],
)
def test_nothing_to_sweep_is_one_sentence(program, preset, said):
    with pytest.raises(InputError) as refused:
        preset_to_sweep(program, preset)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("program", ["mzqa", "tot-dfs", "tot-bfs", "rap", "lats", "ircot", "decomp", "sure"])
def test_a_range_fits_its_program_and_has_the_value_that_is_here(program):
    _, part = preset_to_sweep(program)
    retriever = (lambda query, k: []) if program_named(program).retrieves else None
    points = plan_points(create(program, retriever, **part.values()), part.left_open(), one_at_a_time=True)
    assert len(points) == 1 + sum(len(values) - 1 for values in part.left_open().values())
