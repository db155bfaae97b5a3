import copy
import pickle
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import (
    DamagedFileError,
    InputError,
    MismatchError,
    MissingExtraError,
    MissingKeyError,
    MultihopError,
    RunFailed,
)
from multihop.base import missing_extra, missing_key
from multihop.base.errors import hide_in_error, hide_secrets, public_address, remember_secrets
from multihop.cli.process import tell_user

ERRORS = [
    MultihopError("m"),
    InputError("i"),
    MismatchError("two things"),
    DamagedFileError("d"),
    missing_extra("training", "train", "No module named 'torch'"),
    missing_key("openai/gpt-4.1-mini", ["A_KEY", "B_KEY"]),
    RunFailed("r"),
]


def test_bad_input_of_every_kind_is_caught_as_bad_input():
    for kind in (MismatchError, DamagedFileError, MissingExtraError, MissingKeyError):
        assert kind.__bases__ == (InputError,)
    assert InputError.__bases__ == (MultihopError, ValueError)
    assert not issubclass(RunFailed, ValueError)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_reaches_another_process_with_all_it_knows(error):
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(twin), str(twin), vars(twin)) == (type(error), str(error), vars(error))


KEYS = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\"'\\/"), min_size=12, max_size=40
)


@given(KEYS)
def test_a_key_of_the_environment_is_hidden_wherever_it_stands(key):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_API_KEY", key)
        for text in (f"401: {key} is refused", key, f"{key}{key}", f"/v1?x={quote(key, safe='')}", f"é{key}é"):
            assert key not in hide_secrets(text)
            assert quote(key, safe="") not in hide_secrets(text)
        assert hide_secrets("401: it is refused") == "401: it is refused"
        assert key not in str(InputError(f"{key} is refused."))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("GET http://me:pass@host:8000/v1 failed", "GET http://host:8000/v1 failed"),
        ("https://generative.example/v1?key=AIza123&alt=sse", "https://generative.example/v1?key=***&alt=sse"),
        ('{"Authorization": "Bearer abcdef123456xyz"}', '{"Authorization": "Bearer ***"}'),
        ("Incorrect API key: sk-proj-abcdefghijklmnop.", "Incorrect API key: ***."),
        ("the bearer of it writes to a@b.org, max_tokens=5", "the bearer of it writes to a@b.org, max_tokens=5"),
    ],
)
def test_what_is_written_as_a_secret_is_hidden_though_nobody_told_it(text, told):
    assert hide_secrets(text) == told


def test_what_is_given_in_code_is_known_by_its_name(capsys):
    remember_secrets({"api_key": "given-in-code-1", "extra_headers": {"Authorization": "Token header-value-2"}})
    remember_secrets({"temperature": "nothing-secret", "max_tokens": 5, "api_version": "2024-01-01-x"})
    said = "given-in-code-1 header-value-2 nothing-secret 2024-01-01-x"
    assert hide_secrets(said) == "*** *** nothing-secret 2024-01-01-x"
    tell_user(said)
    assert capsys.readouterr().err == "multihop: *** *** nothing-secret 2024-01-01-x\n"


def test_an_error_is_cleaned_with_its_causes(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "4711-4711-4711")
    error = ValueError("refused: 4711-4711-4711", ["4711-4711-4711"], 5)
    error.__cause__ = OSError("to 4711-4711-4711")
    error.message, error.body = "4711-4711-4711", {"said": ["4711-4711-4711"], "status": 401}
    hide_in_error(error)
    assert error.args == ("refused: ***", ["***"], 5)
    assert (error.message, error.body) == ("***", {"said": ["***"], "status": 401})
    assert str(error.__cause__) == "to ***"


def test_our_errors_hold_no_login_and_are_otherwise_themselves():
    error = RunFailed("http://me:pass@host/v1 is down.")
    assert str(error) == "http://host/v1 is down."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert RunFailed("a", 5).args == ("a", 5)
    assert public_address("http://me:[4711@host/v1?x") == "http://host/v1"
