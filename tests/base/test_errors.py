import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest

from multihop import (
    DamagedFileError,
    InputError,
    MismatchError,
    MissingExtraError,
    MissingKeyError,
    MultihopError,
    RunFailed,
    open_index,
)
from multihop.base import missing_extra, missing_key, reword

ERRORS = [
    MultihopError("m"),
    InputError("i"),
    MismatchError("two things"),
    DamagedFileError("d"),
    missing_extra("training", "train", "No module named 'torch'"),
    missing_key("openai/gpt-4.1-mini", ["A_KEY", "B_KEY"]),
    RunFailed("r"),
]


@pytest.mark.parametrize("kind", [MismatchError, DamagedFileError, MissingExtraError, MissingKeyError])
def test_bad_input_of_every_kind_is_caught_as_bad_input(kind):
    assert kind.__bases__ == (InputError,)
    assert issubclass(InputError, MultihopError)
    assert issubclass(InputError, ValueError)


def test_a_failed_run_is_no_bad_input():
    assert issubclass(RunFailed, MultihopError)
    assert not issubclass(RunFailed, ValueError)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_survives_copies_and_pickles(error):
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(twin), str(twin), vars(twin)) == (type(error), str(error), vars(error))


def test_an_error_reaches_another_process_with_all_it_knows(tmp_path):
    (tmp_path / "index.json").write_text("{")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("forkserver")) as workers:
        raised = workers.submit(open_index, tmp_path).exception(timeout=60)
        returned = [workers.submit(copy.copy, error).result(timeout=60) for error in ERRORS]
    assert type(raised) is DamagedFileError
    assert str(raised).startswith(f"{tmp_path} is damaged, index.json is not as it was written")
    assert [(type(twin), str(twin), vars(twin)) for twin in returned] == [
        (type(error), str(error), vars(error)) for error in ERRORS
    ]


def test_other_words_keep_the_kind_and_what_the_error_knows():
    error = reword(missing_extra("training", "train"), "no training here.")
    assert (type(error), str(error), error.extra) == (MissingExtraError, "no training here.", "train")
