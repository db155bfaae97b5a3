import gc
import logging
import os
import signal
from random import SystemRandom

import dspy
import golden
import pytest
from chromium import chromium
from extras import is_there
from hypothesis import Phase, settings
from tiny_encoder import write_tiny_encoder

os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no bug: no example has a deadline. HYPOTHESIS_PROFILE=thorough tries many more examples.
for name, examples in (("some", 20), ("all", 50), ("thorough", 2000)):
    settings.register_profile(name, deadline=None, max_examples=examples)
settings.register_profile(
    "unsimplified", settings.get_profile("some"), phases=set(Phase) - {Phase.shrink, Phase.explain}
)


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="also what takes seconds, and more random examples")
    parser.addoption("--at-length", action="store_true", help="all, and as many random changes as `make attack` has")
    parser.addoption("--draws", type=int, help="the seed of the changes in tests/attack; by default another each time")
    parser.addoption("--fill-pages", action="store_true", help="write what commands print now into README and docs/")
    parser.addoption("--fill-pictures", action="store_true", help="write what is printed now into tests/golden")


def pytest_configure(config):
    """Ctrl-C means to every process that a test starts what it means at a terminal; `pytest &` would turn it off."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    golden.filling = config.option.fill_pictures
    # Who names a test, or fills pages, wants that; what is decided here is told to the workers.
    named = any("::" in argument for argument in config.args)
    config.option.all |= config.option.at_length or config.option.fill_pages or named
    if config.option.draws is None:
        config.option.draws = SystemRandom().randrange(1 << 32)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "all" if config.option.all else "some"))


def pytest_report_header(config):
    return f"random changes: --draws {config.option.draws}"


def pytest_collection_modifyitems(config, items):
    """Leave out, without `--all`, what takes seconds."""
    if config.option.all:
        return
    left_out = [item for item in items if item.get_closest_marker("seconds")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("seconds")]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Pass over what needs an extra that is not installed."""
    for mark in item.iter_markers("extra"):
        if mark.kwargs.get("needed", True) and not is_there(mark.args[0]):
            pytest.skip(f"needs the extra [{mark.args[0]}]")


def pytest_terminal_summary(terminalreporter, config):
    if not config.option.all:
        terminalreporter.write_line("a part of the tests: --all takes all of them")


def pytest_collection_finish():
    """What all imports have made stays to the end: no collection of garbage need look through it again."""
    gc.freeze()


@pytest.fixture(scope="session")
def how_many(pytestconfig):
    """Picks one of three numbers: that of `make test`, of `--all`, or of `make attack`."""
    option = pytestconfig.option
    return lambda brief, usual, thorough: thorough if option.at_length else usual if option.all else brief


@pytest.fixture(autouse=True)
def fresh_dspy():
    """Each test starts with DSPy's own defaults, no cache that outlives it, and what loggers say by themselves."""
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    levels = {name: logging.getLogger(name).level for name in ("dspy", "multihop")}
    with dspy.context(lm=None, adapter=None, trace=[], callbacks=[], usage_tracker=None):
        yield
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture(scope="session")
def tiny_encoder_folder(tmp_path_factory):
    return write_tiny_encoder(tmp_path_factory.mktemp("tiny-encoder"))


@pytest.fixture
def tiny_encoder(tiny_encoder_folder, monkeypatch):
    """In place of the built-in encoder a tiny one, for a test that is not about what the encoder says."""
    monkeypatch.setattr("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder)


@pytest.fixture
def quiet_again():
    """A test whose `-v` and `--log-texts` are off again after it."""
    loggers = [logging.getLogger(name) for name in ("multihop", "multihop.texts")]
    before = [(logger, logger.level, logger.propagate, list(logger.handlers)) for logger in loggers]
    yield
    for logger, level, propagate, handlers in before:
        logger.setLevel(level)
        logger.propagate, logger.handlers = propagate, handlers


@pytest.fixture(scope="module")
def browser():
    """Chromium, for the tests of a file that is passed over where there is none."""
    with chromium() as opened:
        yield opened
