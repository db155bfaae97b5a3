"""A part of a grid of test cases that leaves out no value of any axis."""

import random


def covering(cells, seed):
    """Some of the cells, about as many as the longest axis has values; another seed takes others.

    Each cell is a tuple with a value on each axis. Each value that a cell has is among those of the cells taken.
    """
    taken, open_values = [], {value for cell in cells for value in enumerate(cell)}
    shuffled = random.Random(seed).sample(list(cells), len(cells))
    for new in range(len(shuffled[0]), 0, -1):  # first the cells of which every value is new
        for cell in shuffled:
            if len(open_values.intersection(enumerate(cell))) == new:
                taken.append(cell)
                open_values.difference_update(enumerate(cell))
    return taken
