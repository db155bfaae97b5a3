import gc
import logging
import os
import signal

import dspy
import golden
import pytest
from hypothesis import settings
from tiny_encoder import write_tiny_encoder

os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no bug: no example has a deadline. HYPOTHESIS_PROFILE=thorough tries many more examples.
settings.register_profile("quick", deadline=None, max_examples=100)
settings.register_profile("brief", deadline=None, max_examples=15)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_addoption(parser):
    parser.addoption("--times", type=int, default=1, help="run every test so many times")
    parser.addoption("--brief", action="store_true", help="a part of every grid, and nothing that takes seconds")
    parser.addoption("--fill-pages", action="store_true", help="write what commands print now into README and docs/")
    parser.addoption("--fill-pictures", action="store_true", help="write what is printed now into tests/golden")
    parser.addoption("--shuffle-calls", metavar="SEED", help="reorder calls made at once (tests/shuffling.py)")


def pytest_configure(config):
    """Ctrl-C means to every process that a test starts what it means at a terminal; `pytest &` would turn it off."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    golden.filling = config.getoption("fill_pictures")
    if config.getoption("brief"):
        settings.load_profile("brief")


def pytest_collection_modifyitems(config, items):
    """What a brief run leaves out; of a grid it keeps each row and each column."""
    if config.getoption("brief"):
        config.hook.pytest_deselected(items=[item for item in items if not in_brief(item)])
        items[:] = filter(in_brief, items)


def in_brief(item):
    """Whether a brief run keeps it: not if it takes seconds, and of a grid every fourth cell."""
    if item.get_closest_marker("seconds"):
        return False
    return not item.get_closest_marker("grid") or sum(item.callspec.indices.values()) % 4 == 0


def pytest_generate_tests(metafunc):
    if (times := metafunc.config.getoption("times")) > 1:
        metafunc.fixturenames.append("time_of_many")
        metafunc.parametrize("time_of_many", range(times))


def pytest_collection_finish():
    """What all imports have made stays to the end: no collection of garbage need look through it again."""
    gc.freeze()


@pytest.fixture(autouse=True)
def fresh_dspy():
    """Each test starts with DSPy's own defaults, no cache that outlives it, and what loggers say by themselves."""
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    levels = {name: logging.getLogger(name).level for name in ("dspy", "multihop")}
    with dspy.context(lm=None, adapter=None, trace=[], callbacks=[], usage_tracker=None):
        yield
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture(autouse=True)
def shuffled_calls(request, monkeypatch):
    if (seed := request.config.getoption("shuffle_calls")) is not None:
        from shuffling import shuffle_calls

        shuffle_calls(monkeypatch, f"{seed} {request.node.nodeid}")


@pytest.fixture(scope="session")
def tiny_encoder_folder(tmp_path_factory):
    return write_tiny_encoder(tmp_path_factory.mktemp("tiny-encoder"))


@pytest.fixture
def tiny_encoder(tiny_encoder_folder, monkeypatch):
    """In place of the built-in encoder a tiny one, for a test that is not about what the encoder says."""
    monkeypatch.setattr("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder)
