import pytest

pytestmark = pytest.mark.usefixtures("quiet_again")


@pytest.mark.parametrize(
    ("options", "kinds", "texts"),
    [
        ((), [], False),
        (("-v",), ["retrieval", "step", "question"], False),
        (("-vv",), ["retrieval", "call", "step", "question"], False),
        (("-v", "-v", "--log-texts"), ["retrieval", "call", "step", "question"], True),
    ],
)
def test_v_tells_of_the_work_on_the_error_stream(run, corpus, options, kinds, texts):
    command = ("ask", "Where is Torun?", "-c", corpus, "--lm", "local", "--cache", "off")
    code, answer, said = run(*command, *options)
    told = [line.split() for line in said.splitlines() if line[:2].isdigit()]
    assert code == 0
    assert list(dict.fromkeys(line[1] for line in told)) == kinds
    assert ("Where is Torun?" in said) == texts
    assert "tokens" in answer
