import pytest

from multihop import InputError, MissingKeyError
from multihop.lms import DescribedLM, open_lm, read_lms

FILE = """
[small]
model = "server/qwen3-8b"
api_base = "http://127.0.0.1:8001/v1"
temperature = 0.1
max_tokens = 500

[large]
model = "openai/gpt-4.1"
key_env = "WORK_KEY"
"""


def written(tmp_path, text):
    path = tmp_path / "lms.toml"
    path.write_text(text)
    return path


def test_each_lm_has_its_server_its_key_and_its_parameters(tmp_path, monkeypatch):
    lms = read_lms(written(tmp_path, FILE))
    assert lms["small"] == DescribedLM(
        model="server/qwen3-8b", api_base="http://127.0.0.1:8001/v1", temperature=0.1, max_tokens=500
    )
    assert lms["small"].options == {"temperature": 0.1, "max_tokens": 500}
    assert lms["small"].key is None
    assert (lms["large"].api_base, lms["large"].options) == (None, {})
    monkeypatch.delenv("WORK_KEY", raising=False)
    with pytest.raises(MissingKeyError, match="WORK_KEY is not set in the environment") as raised:
        lms["large"].key  # noqa: B018
    assert raised.value.variables == ("WORK_KEY",)
    monkeypatch.setenv("WORK_KEY", "key-4711")
    assert lms["large"].key == "key-4711"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[a]\nmodel = "server/m"\napi_key = "sk-4711"', "[a], api_key: a key is never written into a file"),
        ('[a]\nmodel = "server/m"\nheaders = { Authorization = "sk-4711" }', "headers, Authorization: a key"),
        ('[a]\nmodel = "server/m"\napi_base = "http://me:sk-4711@host/v1"', "write the address alone, such as http://host"),
        ('[a]\napi_base = "http://host/v1"', "[a]: model: field required; an LM is a table"),
        ('[a]\nmodel = " "', "[a]: model: string should have at least 1 character"),
        ("[a]\nmodel = 3", "[a]: model: input should be a valid string"),
        ('model = "server/m"', "[model]: input should be"),
        ("", "describes no LM"),
        ("[a", "is not TOML"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_and_no_key_is_repeated(tmp_path, text, said):
    with pytest.raises(InputError) as raised:
        read_lms(written(tmp_path, text))
    assert said in str(raised.value)
    assert "lms.toml" in str(raised.value)
    assert "4711" not in str(raised.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml cannot be read: No such file"):
        read_lms(tmp_path / "none.toml")


def test_a_name_may_bring_its_server():
    lm = open_lm("hosted_vllm/Qwen/Qwen3-8B@https://host:8000/v1", structured="text", temperature=0.2)
    assert (lm.model, lm.kwargs["api_base"]) == ("server/Qwen/Qwen3-8B", "https://host:8000/v1")
    assert lm.kwargs["temperature"] == 0.2
    with pytest.raises(InputError, match="names its server; it takes no other api_base"):
        open_lm("server/m@http://host/v1", api_base="http://other/v1")
    with pytest.raises(InputError, match="'local' runs in this process"):
        open_lm("local@http://host/v1")
