"""A part of a grid of test cases that leaves out no value of any axis."""

import random


def covering(cells, seed):
    """Some of the cells, about as many as the longest axis has values; another seed takes others.

    Each cell is a tuple with a place on each axis. Each place that a cell has is among those of the cells taken.
    """
    taken, open_places = [], {place for cell in cells for place in enumerate(cell)}
    shuffled = random.Random(seed).sample(list(cells), len(cells))
    while open_places:
        most = max(shuffled, key=lambda cell: len(open_places.intersection(enumerate(cell))))
        taken.append(most)
        open_places.difference_update(enumerate(most))
    return taken
