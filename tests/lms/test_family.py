import pytest

from multihop.lms.family import families, family_of

NAMES = {
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B": "DeepSeek-R1 distilled",
    "deepseek-r1:8b": "DeepSeek-R1 distilled",
    "Qwen/Qwen3.5-0.8B": "Qwen3.5, small",
    "qwen3.5:2b": "Qwen3.5, small",
    "Qwen/Qwen3.5-9B": "Qwen3.5",
    "Qwen3.6-35B-A3B": "Qwen3.5",
    "Qwen/Qwen3-4B-Instruct-2507": "Qwen3-2507",
    "Qwen3-Coder-30B-A3B-Instruct": "Qwen3-2507",
    "Qwen3-4B-Thinking-2507": "Qwen3-2507, thinking",
    "Qwen/Qwen3-8B": "Qwen3",
    "qwen3:8b": "Qwen3",
    "Qwen3 0.6B": "Qwen3",
    "Qwen3-Embedding-0.6B": None,
    "Qwen3-VL-4B-Instruct": None,
    "Qwen2.5 Coder 1.5B Instruct GGUF": "Qwen2.5",
    "qwen2.5:7b-instruct": "Qwen2.5",
    "Qwen2.5-VL-7B-Instruct": None,
    "meta-llama/Llama-3.2-3B-Instruct": "Llama 3",
    "llama3.1:8b": "Llama 3",
    "google/gemma-3-4b-it": "Gemma 3",
    "gemma-3n-e2b-it": None,
    "microsoft/Phi-4-reasoning-plus": "Phi-4, reasoning",
    "Phi-4-mini-instruct": "Phi-4",
    "phi4:14b": "Phi-4",
    "HuggingFaceTB/SmolLM3-3B": "SmolLM3",
    "Smollm2 135M 8k Lc100K Mix1 Ep2": "SmolLM2",
    "Mistral-Small-3.2-24B-Instruct-2506": "Mistral",
    "mistral:7b": "Mistral",
    "mistral-nemo": "Mistral",
    "openai/gpt-oss-20b": "gpt-oss",
    "m": None,
    "gpt-4.1-mini": None,
}


@pytest.mark.parametrize(("name", "family"), NAMES.items())
def test_a_model_is_of_the_family_that_its_name_says(name, family):
    found = family_of(name)
    assert (found and found.name) == family


def test_every_family_is_found_by_a_name():
    assert {each.name for each in families()} <= {*NAMES.values()}


def test_what_is_drawn_from_is_said_in_the_words_of_requests():
    for family in families():
        assert {*family.thinking_sampling} <= {"temperature", "top_p"}
        assert bool(family.thinking_sampling) == (family.thinking != "never")


@pytest.mark.parametrize(
    ("model", "thinks"),
    [("qwen3-8b", [False, False, True]), ("qwen2.5-7b", [False] * 3), ("deepseek-r1", [True] * 3)],
)
def test_a_model_thinks_if_it_does_and_is_let(model, thinks):
    assert [family_of(model).thinks(thinking) for thinking in (None, False, True)] == thinks
