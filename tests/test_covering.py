from itertools import product

import pytest
from covering import covering

GRIDS = [(13,), (2, 9), (25, 10), (13, 2, 25), (3, 3)]


def places(cells):
    return [set(axis) for axis in zip(*cells, strict=True)]


@pytest.mark.parametrize("lengths", GRIDS)
def test_no_value_of_any_axis_is_left_out(lengths):
    cells = list(product(*map(range, lengths)))
    for seed in range(20):
        taken = covering(cells, seed)
        assert places(taken) == [set(range(length)) for length in lengths]
        assert max(lengths) <= len(taken) <= max(lengths) + 2


def test_nor_where_cells_are_missing_or_two_axes_go_together():
    cells = [(0, 0, 0), (1, 1, 0), (1, 1, 1), (2, 2, 1)]
    assert places(covering(cells, seed=1)) == places(cells)


def test_the_same_seed_takes_the_same_cells_and_in_time_all_are_taken():
    cells = list(product(range(25), range(10)))
    assert covering(cells, 7) == covering(cells, 7)
    assert {cell for seed in range(100) for cell in covering(cells, seed)} == set(cells)


@pytest.mark.grid
@pytest.mark.parametrize("column", [[], [1], [2, 3]])
@pytest.mark.parametrize("row", range(9))
def test_a_grid_is_run_in_part(row, column, request):
    cells = [item for item in request.session.items if item.originalname == request.node.originalname]
    option, most = request.config.option, 9 + 2
    assert len(cells) == 27 if option.all else len(cells) >= 27 - most if option.rest else len(cells) <= most
