import pytest
from json_server import JsonServer

from multihop import InputError
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
