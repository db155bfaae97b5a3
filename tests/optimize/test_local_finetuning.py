"""Whole trainings, by trl, of a model of a few thousand weights; without the extra [tune], its name."""

import re
import sys

import pytest
import ujson
from tiny_lm import make_tiny

from multihop.base import InputError, MissingExtraError, RunFailed
from multihop.optimize import local_finetuning
from multihop.optimize.finetuning import finetune

ASKED = "[[ ## question ## ]]\nq{}?\n\n[[ ## history ## ]]\n{}"
SYSTEM = {"role": "system", "content": "plan"}
ROWS = [
    [SYSTEM, {"role": "user", "content": ASKED.format(n // 2, n % 2)}, {"role": "assistant", "content": answer}]
    for n, answer in enumerate(["tell b", "say a"] * 12)
]
ROWS = [{"messages": messages} for messages in ROWS]
QUICK = {"epochs": 4, "learning_rate": 1e-2, "batch": 8, "held_out": 0.2, "bf16": False}


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    monkeypatch.setenv("DSPY_FINETUNEDIR", str(tmp_path / "models"))
    return str(make_tiny(tmp_path / "tiny"))


def trained(tuned):
    """The folder that a training returned, and what its trainer noted."""
    folder = tuned.folder
    return folder, ujson.loads((folder / "trainer_state.json").read_text())["log_history"]


def curve(notes, name="loss"):
    return {note["step"]: note[name] for note in notes if name in note}


def weights(folder):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder).state_dict()


def said(folder, row):
    """The words that the model says greedily, read from its folder alone."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    options = {"add_generation_prompt": True, "return_tensors": "pt", "return_dict": True}
    asked = tokenizer.apply_chat_template(row["messages"][:-1], **options)
    written = network.generate(**asked, max_new_tokens=12, do_sample=False)[0, asked["input_ids"].shape[1] :]
    return tokenizer.decode(written, skip_special_tokens=True).strip()


@pytest.mark.extra("tune")
def test_a_model_learns_to_say_the_answers_and_is_found_again(tiny, monkeypatch, capsys):
    told, options = [], {**QUICK, "epochs": 40}
    monkeypatch.setattr(local_finetuning, "TOLD_EVERY", 0.0)
    tuned = finetune(tiny, ROWS, name="p plan", tell=told.append, **options)
    folder, notes = trained(tuned)
    assert tuned.lm.startswith("server/p-plan-tiny-")
    assert re.match(
        r"tried on the 1[2-9] longest conversations, of up to \d+ tokens \(no conversation is cut\): [\d,]+ tokens/s, "
        r"so 40 passes over 1[2-9] take about \d:\d\d$",
        told[0],
    )
    assert re.match(r"step 1 of 80: loss \d.\d+, [\d,]+ tokens/s, about \d:\d\d left$", told[2])
    assert tuned.serve.startswith(f"vllm serve {tiny} --enable-lora --max-lora-rank 16 --lora-modules")
    assert {each.name for each in folder.iterdir()} >= {"adapter_config.json", "adapter_model.safetensors"}
    facts = {"base": tiny, "rank": 16, "seed": 42}
    assert (tuned.base, {name: tuned.facts[name] for name in facts}) == (tiny, facts)
    assert tuned.facts.keys() - facts == {"rows", "base_digest"}
    assert curve(notes)[1] > 3 > 0.1 > curve(notes)[max(curve(notes))]
    assert curve(notes, "eval_loss")[0] > 3 > 0.1 > min(curve(notes, "eval_loss").values())
    assert [said(folder, row) for row in ROWS[:2]] == ["tell b", "say a"]
    about = ujson.loads((folder / "clone.json").read_text())
    assert (about["start_from"], about["conversations"], about["options"]) == (tiny, 24, options)
    assert 0 < about["held_out"] < 24
    assert "TRL" in (folder / "README.md").read_text()
    assert [each.name for each in folder.parent.iterdir()] == [folder.name]
    assert finetune(tiny, ROWS, name="p plan", tell=print, **options) == tuned
    assert capsys.readouterr().out == f"{folder} is there: {tiny} was trained on the same 24 conversations before\n"


@pytest.mark.extra("tune")
def test_killed_and_begun_again_it_comes_to_the_same_end(tiny, tmp_path, monkeypatch):
    import transformers

    def train(name):
        return trained(finetune(tiny, ROWS, name=name, per_device_train_batch_size=8, **QUICK))

    whole, notes = train("whole")

    class Killed(BaseException):
        pass

    step, done = transformers.Trainer.training_step, []

    def until_killed(self, *given, **more):
        done.append(None)
        if len(done) == 7:
            raise Killed
        return step(self, *given, **more)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(transformers.Trainer, "training_step", until_killed)
        train("twice")
    (left,) = (tmp_path / "models").glob("twice-*")
    assert left.name.endswith(".training")
    again, theirs = train("twice")
    assert not left.exists()
    assert curve(theirs) == pytest.approx(curve(notes), rel=1e-3)
    assert curve(theirs, "eval_loss") == pytest.approx(curve(notes, "eval_loss"), rel=1e-3)
    mine = weights(again)
    assert all(value.sub(mine[name]).abs().max() < 1e-3 for name, value in weights(whole).items())


@pytest.mark.extra("tune")
def test_an_adapter_leaves_its_base_and_all_weights_stay_in_sixteen_bits(tiny):
    import torch
    from transformers import AutoModelForCausalLM

    AutoModelForCausalLM.from_pretrained(tiny).to(torch.bfloat16).save_pretrained(tiny)
    before = weights(tiny)
    for options in ({"bf16": True}, {"rank": 0, "learning_rate": 3e-5, "epochs": 20}):
        tuned = finetune(tiny, ROWS, **{**QUICK, **options})
        folder, notes = trained(tuned)
        after = weights(folder)
        assert curve(notes)[max(curve(notes))] < curve(notes)[1]
        same = [
            any(torch.equal(each, value) for each in after.values()) for name, value in before.items() if ".mlp" in name
        ]
        assert same == [("rank" not in options)] * 6
        assert {value.dtype for name, value in after.items() if "lora" not in name} == {torch.bfloat16}
        assert ("--enable-lora" in tuned.serve) == ("rank" not in options)


@pytest.mark.extra("tune")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"epoch": 3}, InputError, "unknown option 'epoch' of a training; did you mean 'epochs'? Valid: epochs, batch"),
        ({"weight_decay": "much"}, InputError, "weight_decay='much' of a training: Input should be a valid number"),
        ({"rank": -1}, InputError, "rank=-1 of a training: Input should be greater than or equal to 0"),
        ({"longest": 9}, InputError, "no conversation is left to learn from"),
        ({"eval_strategy": "epoch"}, RunFailed, "failed: --load_best_model_at_end requires the save and eval strategy"),
    ],
)
def test_what_cannot_be_trained_with_is_one_sentence_and_leaves_nothing(options, error, message, tiny, tmp_path):
    with pytest.raises(error) as refused:
        finetune(tiny, ROWS, **options)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert [each.name for each in tmp_path.iterdir()] == ["tiny"]


@pytest.mark.extra("tune")
def test_a_model_that_is_none_and_too_little_memory_are_one_sentence(tiny, tmp_path, monkeypatch):
    import torch
    from trl import SFTTrainer

    def too_much(*_, **__):
        raise torch.OutOfMemoryError

    with pytest.raises(RunFailed, match=r"^fine-tuning './none' failed: "):
        finetune("./none", ROWS)
    monkeypatch.setattr(SFTTrainer, "train", too_much)
    with pytest.raises(RunFailed, match=r"the memory is too small to train .*a smaller longest take less"):
        finetune(tiny, ROWS)


def test_without_the_extra_it_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(MissingExtraError, match=r"needs the extra \[tune\] \(import of peft"):
        finetune("hub/base", ROWS, output=str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []
