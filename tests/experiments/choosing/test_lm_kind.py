import pytest

from multihop.base import InputError
from multihop.experiments.choosing.lm_kind import LMKind, lm_kind, size_in_name


@pytest.mark.parametrize(
    ("lm", "name", "size", "kind"),
    [
        ("local", "local", 0.022, "built in"),
        ("multihop/lexical@1", "lexical", 0.0, "built in"),
        ("gguf:/models/7b/smollm2-135m.gguf", "smollm2-135m", 0.135, "small"),
        ("gguf:qwen2.5-coder-1.5b-instruct-q8_0.gguf", "qwen2.5-coder-1.5b-instruct-q8_0", 1.5, "small"),
        ("server/meta/Llama-3.2-3B@http://localhost:8000/v1", "Llama-3.2-3B", 3.0, "medium"),
        ("ollama/qwen3:14b", "qwen3:14b", 14.0, "medium"),
        ("server/gpt-oss-20b", "gpt-oss-20b", 20.0, "large"),
        ("openai/gpt-4o-mini", "gpt-4o-mini", None, "large"),
    ],
)
def test_the_kind_of_an_lm_is_told_by_its_name(lm, name, size, kind):
    assert lm_kind(lm) == LMKind(name, size, kind)


def test_a_size_that_is_given_counts_before_the_name():
    assert lm_kind("server/mine", size=8) == LMKind("mine", 8, "medium")
    assert lm_kind("openai/gpt-4.1-nano", size=1).kind == "small"


@pytest.mark.parametrize("name", ["gpt-4o", "q4_k_m", "v2b3", "phi-4", "8bit"])
def test_a_number_that_is_no_size_is_none(name):
    assert size_in_name(name) is None


def test_the_nearest_lm_is_of_the_name_then_the_kind_then_the_size():
    asked = lm_kind("gguf:Tiny-1b.gguf")
    same, near, far, other = (lm_kind(f"gguf:{name}.gguf") for name in ("tiny-1b", "a-1.5b", "b-0.1b", "c-3b"))
    assert sorted([other, far, near, same], key=asked.distance) == [same, near, far, other]


@pytest.mark.parametrize(
    ("lm", "size", "message"),
    [
        ("gpt-4", None, 'write local, gguf:PATH, folder:PATH, server/MODEL or "provider/model"'),
        ("gguf:phi.gguf", None, "does not tell its size; give it in billions of parameters (--size 7)"),
        ("server/mine@http://localhost:1/v1", None, "does not tell its size"),
        ("simulated", None, "nothing is measured with 'simulated', which is made in code"),
        ("openai/gpt-4.1", 0, "size is billions of parameters, above 0, not 0"),
    ],
)
def test_what_is_no_lm_is_refused_in_a_sentence(lm, size, message):
    with pytest.raises(InputError) as raised:
        lm_kind(lm, size)
    assert message in str(raised.value)
