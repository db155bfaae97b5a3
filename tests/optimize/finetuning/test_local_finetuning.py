"""Folders of clones, and who trains; nothing is trained here (tests/optimize/finetuning/training)."""

import importlib.util
from itertools import islice

import dspy
import pytest
from simulated import simulated

from multihop import BM25, Little, clone, create
from multihop.base import InputError
from multihop.optimize.finetuning import local_finetuning
from multihop.optimize.finetuning.clone_folder import CARD, CloneCard, read_card, write_card
from multihop.optimize.finetuning.finetuning import finetune
from multihop.optimize.finetuning.local_finetuning import LocalProvider

ROWS = [
    {
        "messages": [
            {"role": "system", "content": "plan"},
            {"role": "user", "content": f"question {n}"},
            {"role": "assistant", "content": f"ask for {n}"},
        ]
    }
    for n in (1, 2, 3)
]


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="the extra [train] is here")
def test_without_the_extra_it_says_what_is_missing(tmp_path):
    with pytest.raises(InputError, match=r"local fine-tuning needs the extra \[train\]"):
        finetune("hub/base", ROWS, output=str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("model", "here"),
    [
        ("Qwen/Qwen3-0.6B", True),
        ("small.gguf", True),
        ("./models/base", True),
        ("openai/gpt-4o-mini", False),
        ("databricks/llama", False),
        ("groq/llama", False),
        ("gpt-4o-mini", False),
        ("ft:gpt-4o-mini:mine::abc", False),
    ],
)
def test_who_trains_follows_from_the_models_name(model, here):
    assert LocalProvider.is_provider_model(model) is here


@pytest.fixture
def trained(monkeypatch, tmp_path):
    """What is trained on, where nothing is trained; models go to a folder of the test."""
    asked = []

    def train(model, rows, folder, *, name, training, given, **_):
        asked.append((model, rows, given))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(str(len(asked)))
        card = dict.fromkeys(CloneCard.__annotations__)
        card |= {"name": name, "start_from": model, "conversations": len(rows), "training": training, "options": given}
        write_card(folder, card)

    monkeypatch.setattr(local_finetuning, "train_clone", train)
    monkeypatch.setenv("DSPY_FINETUNEDIR", str(tmp_path / "models"))
    return asked


def test_every_clone_has_a_folder_of_its_own(trained, tmp_path):
    """Two programs cloned from one base: the second took the place of the first, and drove both."""
    retriever, questions = BM25.build(Little().passages()), list(islice(Little().questions(), 4))
    small = {"mzqa": {"iterations": 2, "depth": 2}}
    folders = {}
    for name, more in (("mzqa", {}), ("ircot", {}), ("ircot", {"seed": 1})):
        out = tmp_path / f"{name}{more}"
        with dspy.context(lm=simulated(questions, iter(retriever))):
            program = create(name, retriever, **small.get(name, {}))
            done = clone(program, questions, out=out, start_from="hub/Base-1B", options=more)
        folder = tmp_path / "models" / done.model.rpartition("/")[2]
        assert done.model == f"server/{folder.name}"
        (step,) = done.rows
        card = read_card(folder)
        assert (card["name"], card["start_from"], card["options"]) == (f"{name}-{step}", "hub/Base-1B", more)
        assert card["conversations"] == done.rows[step]
        folders[folder.name] = (folder / "config.json").read_text()
    names = [name.rpartition("-")[0] for name in folders]
    assert names == ["mzqa-plan-Base-1B", "ircot-think-Base-1B", "ircot-think-Base-1B"]
    assert list(folders.values()) == ["1", "2", "3"]
    assert {each.name for each in (tmp_path / "models").iterdir()} == set(folders)


def test_the_same_training_again_finds_its_folder_and_says_so(trained, tmp_path):
    told = []
    first = finetune("hub/base", ROWS, provider="local", name="mine", epochs=2)
    assert finetune("hub/base", ROWS, provider="local", name="mine", tell=told.append, epochs=2) == first
    folder = tmp_path / "models" / first.removeprefix("server/")
    assert told == [
        f"{folder} is there: hub/base was trained on the same 3 conversations before",
        f"serve it to ask it: vllm serve {folder} --served-model-name {folder.name}",
    ]
    assert len(trained) == 1
    others = [
        finetune("hub/other", ROWS, provider="local", name="mine", epochs=2),
        finetune("hub/base", ROWS[:2], provider="local", name="mine", epochs=2),
        finetune("hub/base", ROWS, provider="local", name="mine", epochs=3),
    ]
    assert len({first, *others}) == len(trained) == 4


def test_nothing_is_written_over(trained, tmp_path):
    out = tmp_path / "mine"
    finetune("hub/base", ROWS, provider="local", name="a", output=str(out))
    assert finetune("hub/base", ROWS, provider="local", output=str(out)) == "server/mine"
    with pytest.raises(
        InputError, match="mine holds another clone, a from hub/base with 3 conversations; name another"
    ):
        finetune("hub/base", ROWS[:1], provider="local", name="b", output=str(out))
    (out / CARD).unlink()
    with pytest.raises(InputError, match="mine holds no clone that was made here; name another folder"):
        finetune("hub/base", ROWS, provider="local", output=str(out))
    (tmp_path / "empty").mkdir()
    assert finetune("hub/base", ROWS, provider="local", output=str(tmp_path / "empty")).endswith("/empty")
    assert len(trained) == 2
