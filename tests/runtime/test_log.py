"""The library's logger: silent by default, times and counts where it is told to speak, texts only where it is asked."""

import logging

import dspy
import pytest
from dspy.utils.exceptions import LMError
from toys import FakeRetriever, echo

from multihop import Direct, OneStep, caching, scripted
from multihop.runtime.log import is_logged

LOGGER, TEXTS = logging.getLogger("multihop"), logging.getLogger("multihop.texts")
pytestmark = pytest.mark.usefixtures("quiet_again")


def ask(program=None, answers=echo):
    with dspy.context(lm=scripted(answers)), caching("run"):
        return (program or OneStep(FakeRetriever(), k=2))(question="hidden?")


def lines(caplog):
    found = [(record.levelname, *record.getMessage().split(" ", 2)[:2]) for record in caplog.records]
    return [(level, kind, name.rstrip(":")) for level, kind, name in found]


def test_it_is_silent_by_default(caplog, capfd):
    ask()
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")
    assert not is_logged()


def test_info_tells_steps_and_retrievals_and_debug_also_calls(caplog):
    LOGGER.setLevel(logging.INFO)
    ask()
    told = [("INFO", "retrieval", "FakeRetriever"), ("INFO", "step", "answer"), ("INFO", "question", "one-step")]
    assert lines(caplog) == told
    caplog.clear()
    LOGGER.setLevel(logging.DEBUG)
    ask()
    assert lines(caplog) == [told[0], ("DEBUG", "call", "multihop/scripted"), *told[1:]]
    assert "k 2, 2 hits" in caplog.records[0].getMessage()
    assert " tokens in, " in caplog.records[1].getMessage()
    assert "1 call, 0 of them from the cache, 1 retrieval" in caplog.records[3].getMessage()


def test_texts_are_told_only_where_they_are_asked_for(caplog):
    LOGGER.setLevel(logging.DEBUG)
    ask()
    ask(answers=[{"answer": "hidden"}])
    with pytest.raises(LMError, match="hidden"):
        ask(Direct(), [ValueError("hidden")])
    assert "hidden" not in caplog.text
    assert "failed with LMUnexpectedError" in caplog.text
    caplog.clear()
    TEXTS.setLevel(logging.INFO)
    ask()
    said = [record.getMessage() for record in caplog.records if record.name == "multihop.texts"]
    assert [line.split(":")[0] for line in said] == ["retrieval FakeRetriever", "step answer", "question one-step"]
    assert all("hidden?" in line for line in said)
    assert not any(line.startswith("call") for line in said), "prompts are told at DEBUG"
