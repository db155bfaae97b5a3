import pytest
from json_server import JsonServer

from multihop import InputError
from multihop.__main__ import main
from multihop.cli.lm_options import LMOptions, LMs

SERVER = "http://127.0.0.1:8001/v1"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lms.toml"
    own = 'model = "server/big"\napi_base = "http://host/v1"\ntemperature = 0.3'
    path.write_text(f'[own]\n{own}\n[ours]\nmodel = "local"')
    return path


def opener(decoding=None, **options):
    return LMs(LMOptions(**options), decoding)


def known(lm):
    return lm.model, lm.kwargs.get("api_base"), lm.kwargs.get("temperature")


def test_a_server_is_written_behind_the_lm():
    lms = opener(lm_set=["temperature=0"])
    assert known(lms.open("local"))[1] is None
    assert known(lms.open(f"server/m@{SERVER}")) == ("server/m", SERVER, 0)
    assert list(lms.greedy) == ["local", "server/m"]


def test_what_the_file_says_of_one_lm_counts_before_what_is_said_of_all(file):
    decoding = {"temperature": 0.1, "top_p": 0.5}
    lms = opener(decoding, lm_set=["temperature=0.7", "max_tokens=9"], lms=file)
    lm = lms.open("own")
    assert known(lm) == ("server/big", "http://host/v1", 0.3)
    assert (lm.kwargs["max_tokens"], lm.kwargs["top_p"]) == (9, 0.5)


def test_the_command_line_counts_before_a_papers_decoding():
    served, papers = f"server/m@{SERVER}", {"temperature": 0.1}
    assert known(opener(papers, lm_set=["temperature=0.5"]).open(served))[2] == 0.5
    assert known(opener(papers).open(served))[2] == 0.1
    assert known(opener(papers).open("local"))[1:] == (None, None)


def test_a_judge_takes_no_parameters(file):
    lms = opener(lm_set=["temperature=0.7"], lms=file)
    assert known(lms.open(f"server/judge@{SERVER}", alone=True)) == ("server/judge", SERVER, 0.0)
    assert known(lms.open("own", alone=True)) == ("server/big", "http://host/v1", 0.3)


def test_two_lms_for_all_steps_are_refused():
    with pytest.raises(InputError, match="--lm is given for all twice, local and openai/m; .* as NAME=openai/m"):
        opener().open_all(None, ["local", "read=local", "openai/m"])


def test_a_server_with_another_model_is_refused_before_anything_is_asked(tmp_path):
    lms = opener(lm_set=["structured=text"])
    with JsonServer(lambda asked: {"data": [{"id": "qwen3:8b"}]}) as server:
        lms.open(f"server/qwen3:8b@{server.url}")
        lms.check_served()
        lms.open(f"server/qwen3:4b@{server.url}")
        with pytest.raises(InputError, match=r"has no model 'qwen3:4b'. It has: 'qwen3:8b'."):
            lms.check_served()
        lms.check_served(kept=tmp_path)
        with pytest.raises(InputError, match="has no model"):
            lms.check_served(kept=tmp_path / "new")


@pytest.mark.parametrize("command", ["ask Who?", "evaluate"])
def test_a_server_that_is_down_ends_a_command_in_one_sentence_with_nothing_half_run(command, tmp_path, capsys):
    words, out = command.split(), tmp_path / "run"
    if words[0] == "evaluate":
        (tmp_path / "q.jsonl").write_text('{"id": "1", "question": "Who?", "answer": "Ada"}')
        words += ["direct", "-q", str(tmp_path / "q.jsonl"), "--out", str(out)]
    else:
        words += ["-p", "direct"]
    assert main([*words, "--lm", "server/m@http://127.0.0.1:9/v1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("multihop: no server answers at http://127.0.0.1:9/v1 (")
    assert not out.exists()


@pytest.mark.parametrize(
    ("pair", "instead"),
    [
        ("api_key=sk-1", "a key stays in the environment; name its variable as key_env in a file for --lms"),
        ("api-base=http://h/v1", "the server is named behind the model, as --lm MODEL@ADDRESS"),
        ("model=m", "the LM is named with --lm"),
        ("name=m", "the LM is named with --lm"),
    ],
)
def test_what_is_given_otherwise_is_no_parameter(pair, instead):
    with pytest.raises(InputError, match=f"--lm-set takes no .*: {instead}") as refused:
        opener(lm_set=[pair])
    assert "sk-1" not in str(refused.value)
