import inspect
import pydoc

import pytest

from multihop import PROGRAMS, Direct, OneStep, Program
from multihop.programs.shared.sub_questions import SubQuestionSearch
from multihop.runtime import settings_of


class Nothing:
    def search(self, queries, k):
        return [[] for _ in queries]


class TwoHops(Program):
    """Retrieves twice."""

    def __init__(self, retriever, *, hops: int = 2, **limits):
        """Set up the hops.

        Args:
            retriever: Where the passages come from.
            hops: How often to
                retrieve.
            **limits: See `Program`.
        """
        super().__init__(retriever, **limits)
        self.hops = hops


class Undocumented(TwoHops):
    def __init__(self, *passed, sure: bool = True, **settings):
        super().__init__(*passed, **settings)
        self.sure = sure


class Closed(TwoHops):
    def __init__(self, retriever, *, only: int):
        super().__init__(retriever)
        self.only = only


class Both(SubQuestionSearch, OneStep):
    """Two methods at once, without a constructor of its own."""


@pytest.mark.parametrize("program", [*PROGRAMS.values(), TwoHops, Undocumented, Both], ids=lambda each: each.__name__)
def test_the_signature_has_every_setting_with_its_default(program):
    parameters = dict(inspect.signature(program).parameters)
    retriever = parameters.pop("retriever", None)
    assert (retriever is None) is issubclass(program, Direct)
    assert {each.kind for each in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {name: each.default for name, each in parameters.items()} == {
        name: setting.default for name, setting in settings_of(program).items()
    }
    assert all(each.annotation is not inspect.Parameter.empty for each in parameters.values())


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_help_tells_what_every_argument_is_for_and_its_default(program):
    text = pydoc.plain(pydoc.render_doc(program))
    told = text[text.index("|  Args:") : text.index("Method resolution order")]
    for name, parameter in inspect.signature(program).parameters.items():
        line = next(line for line in told.splitlines() if line.startswith(f" |      {name}: "))
        assert len(line) > len(f" |      {name}: by default None."), line
        if parameter.default not in (inspect.Parameter.empty, None):
            assert f"by default {parameter.default!r}." in " ".join(told.replace("|", " ").split())


def test_types_are_shown_as_one_reads_them():
    shown = str(inspect.signature(OneStep))
    assert shown.startswith("(retriever: RetrieverLike, *, k: int = 5, budget: ")
    assert "Annotated" not in shown


def test_an_instance_is_called_with_a_question():
    assert not hasattr(Direct(), "__signature__")
    assert "budget" not in inspect.signature(Direct().aforward).parameters


def test_a_class_of_ones_own_gets_the_same():
    expected = ["retriever", "hops", "budget", "concurrency", "retries", "lms"]
    assert list(inspect.signature(TwoHops).parameters) == expected
    assert TwoHops.__doc__.splitlines()[:5] == [
        "Retrieves twice.",
        "",
        "Args:",
        "    retriever: Where the passages come from.",
        "    hops: How often to retrieve; by default 2.",
    ]
    built = TwoHops(Nothing(), retries=1)
    assert (built.hops, built.retries) == (2, 1)


def test_a_class_without_words_says_what_it_takes():
    assert list(inspect.signature(Undocumented).parameters)[:3] == ["retriever", "sure", "hops"]
    assert Undocumented.__doc__.startswith("Undocumented, a program.\n\nArgs:\n")
    assert "    sure: by default True.\n" in Undocumented.__doc__
    assert Undocumented(Nothing(), sure=False, hops=3).settings["hops"] == 3


def test_what_a_constructor_does_not_pass_on_is_not_shown():
    assert str(inspect.signature(Closed)) == "(retriever, *, only: int)"
    assert "budget" not in Closed.__doc__
