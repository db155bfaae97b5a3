import gc

import pytest

from multihop.cli.process import heap_at_rest


def test_what_was_there_before_is_left_alone_until_the_end():
    gc.unfreeze()
    before = [[] for _ in range(1000)]
    with pytest.raises(KeyError), heap_at_rest():
        seen = {id(each) for each in gc.get_objects()}
        assert not seen & set(map(id, before))
        assert gc.get_freeze_count() >= 1000
        raise KeyError
    assert gc.get_freeze_count() == 0
    assert {id(each) for each in gc.get_objects()} >= set(map(id, before))


def test_what_somebody_froze_before_stays_frozen():
    gc.unfreeze()
    gc.freeze()
    try:
        with heap_at_rest():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
