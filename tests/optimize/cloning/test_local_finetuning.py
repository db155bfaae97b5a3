import importlib.util

import dspy
import pytest

from multihop import BM25, World, clone, create, load, simulated
from multihop.base import InputError
from multihop.optimize.cloning import local_finetuning
from multihop.optimize.cloning.clone_folder import read_card
from multihop.optimize.cloning.finetuning import finetune
from multihop.optimize.cloning.local_finetuning import train_model

TRAINING = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("transformers") is not None
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


@pytest.fixture
def tiny(tmp_path):
    """A causal model of a few thousand parameters with a tokenizer of single words, made on the spot."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = ["<eos>", "<unk>", "plan", "question", "ask", "for", "1", "2", "3"]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", unk_token="<unk>")
    config = GPT2Config(vocab_size=len(words), n_positions=64, n_embd=32, n_layer=1, n_head=2, bos_token_id=0)
    folder = tmp_path / "tiny"
    GPT2LMHeadModel(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


NEEDS_TRAINING = pytest.mark.skipif(not TRAINING, reason="needs the extra [train]: torch and transformers")


@NEEDS_TRAINING
def test_a_local_model_learns_the_answers(tiny, tmp_path):
    _, _, losses = train_model(str(tiny), ROWS, epochs=30, learning_rate=0.01, batch=2)
    assert losses[-1] < 0.3 * losses[0]
    name = finetune(str(tiny), ROWS, provider="local", output=str(tmp_path / "served"), epochs=1)
    assert name == f"hosted_vllm/{tmp_path / 'served'}"
    assert (tmp_path / "served" / "config.json").exists()
    card = read_card(tmp_path / "served")
    assert (card["start_from"], card["conversations"], card["options"]) == (str(tiny), 3, {"epochs": 1})
    assert len(card["losses"]) == 1


@NEEDS_TRAINING
def test_weights_of_sixteen_bits_move_and_stay_of_sixteen_bits(tiny, tmp_path):
    """At this learning rate a step is smaller than half the distance between two such weights: alone it is lost."""
    import torch
    from transformers import AutoModelForCausalLM

    AutoModelForCausalLM.from_pretrained(tiny).to(torch.bfloat16).save_pretrained(tiny)
    finetune(str(tiny), ROWS, provider="local", output=str(tmp_path / "out"), epochs=100, learning_rate=1e-5)
    before, after = (AutoModelForCausalLM.from_pretrained(each) for each in (tiny, tmp_path / "out"))
    assert before.dtype == after.dtype == torch.bfloat16
    name = "transformer.h.0.mlp.c_fc.weight"
    moved = before.get_parameter(name) != after.get_parameter(name)
    assert moved.float().mean() > 0.8


@pytest.mark.skipif(TRAINING, reason="the extra [train] is here")
def test_without_the_extra_it_says_what_is_missing():
    with pytest.raises(InputError, match=r"local fine-tuning needs the extra \[train\]"):
        train_model("tiny", ROWS)


class Stub:
    """A network and a tokenizer in one that weighs nothing."""

    def __init__(self, text):
        self.text = text

    def save_pretrained(self, folder):
        (folder / "config.json").write_text(self.text)


@pytest.fixture
def trained(monkeypatch, tmp_path):
    """What is trained on, where nothing is trained; models go to a folder of the test."""
    asked = []

    def train(model, rows, **options):
        asked.append((model, rows, options))
        return Stub(str(len(asked))), Stub(str(len(asked))), [0.5]

    monkeypatch.setattr(local_finetuning, "train_model", train)
    monkeypatch.setattr(local_finetuning, "version", lambda package: "1.0")
    monkeypatch.setenv("DSPY_FINETUNEDIR", str(tmp_path / "models"))
    return asked


def test_every_clone_has_a_folder_of_its_own(trained, tmp_path):
    """Two programs cloned from one base: the second took the place of the first, and drove both."""
    made = World(questions=4, passages=60, seed=1)
    retriever, questions = BM25.build(made.passages()), list(made.questions())
    small = {"mzqa": {"iterations": 2, "depth": 2}}
    folders = {}
    for name, more in (("mzqa", {}), ("ircot", {}), ("ircot", {"seed": 1})):
        out = tmp_path / f"{name}{more}"
        with dspy.context(lm=simulated(questions, iter(retriever))):
            program = create(name, retriever, **small.get(name, {}))
            done = clone(program, questions, out=out, start_from="hub/Base-1B", provider="local", options=more)
        folder = tmp_path / "models" / done.model.rpartition("/")[2]
        assert done.model == f"hosted_vllm/{folder}"
        (step,) = done.rows
        assert load(done.artefact, retriever, trust=True).lms[step].model == done.model
        card = read_card(folder)
        assert (card["name"], card["start_from"], card["options"]) == (f"{name}-{step}", "hub/Base-1B", more)
        assert card["conversations"] == done.rows[step]
        folders[folder.name] = (folder / "config.json").read_text()
    names = [name.rpartition("-")[0] for name in folders]
    assert names == ["mzqa-plan-Base-1B", "ircot-think-Base-1B", "ircot-think-Base-1B"]
    assert list(folders.values()) == ["1", "2", "3"]
    assert {each.name for each in (tmp_path / "models").iterdir()} == set(folders)


def test_the_same_training_again_finds_its_folder_and_says_so(trained):
    told = []
    first = finetune("hub/base", ROWS, provider="local", name="mine", epochs=2)
    assert finetune("hub/base", ROWS, provider="local", name="mine", tell=told.append, epochs=2) == first
    folder = first.partition("/")[2]
    assert told == [f"{folder} is there: hub/base was trained on the same 3 conversations before"]
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
    assert finetune("hub/base", ROWS, provider="local", output=str(out)) == f"hosted_vllm/{out}"
    with pytest.raises(
        InputError, match="mine holds another clone, a from hub/base with 3 conversations; name another"
    ):
        finetune("hub/base", ROWS[:1], provider="local", name="b", output=str(out))
    (out / "clone.json").unlink()
    with pytest.raises(InputError, match="mine holds no clone that was made here; name another folder"):
        finetune("hub/base", ROWS, provider="local", output=str(out))
    (tmp_path / "empty").mkdir()
    assert finetune("hub/base", ROWS, provider="local", output=str(tmp_path / "empty")).endswith("/empty")
    assert len(trained) == 2
