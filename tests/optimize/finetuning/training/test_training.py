"""Whole trainings of a model of a few thousand parameters."""

import pytest
from full_disk import no_room_for
from tiny_lm import NEEDS_TRAINING, make_tiny

from multihop.base import InputError, MismatchError
from multihop.optimize.finetuning.clone_folder import read_card
from multihop.optimize.finetuning.finetuning import finetune
from multihop.optimize.finetuning.training import checkpoint, loop

pytestmark = NEEDS_TRAINING
ROWS = [
    {
        "messages": [
            {"role": "system", "content": "plan"},
            {"role": "user", "content": f"[[ ## question ## ]]\nq{n // 2}?\n\n[[ ## history ## ]]\n{n % 2}"},
            {"role": "assistant", "content": "say a" if n % 2 else "tell b"},
        ]
    }
    for n in range(24)
]
QUICK = {"epochs": 8, "learning_rate": 1e-2, "batch": 8, "held_out": 0.2, "precision": "fp32", "check_every": 3}


@pytest.fixture
def tiny(tmp_path):
    return make_tiny(tmp_path / "tiny")


class Killed(BaseException):
    pass


def weights(folder):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder).state_dict()


def said(folder, row):
    """The words that the model says greedily, read from its folder alone."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    asked = tokenizer.apply_chat_template(
        row["messages"][:-1], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    written = network.generate(**asked, max_new_tokens=12, do_sample=False)[0, asked["input_ids"].shape[1] :]
    return tokenizer.decode(written, skip_special_tokens=True)


def test_a_model_learns_to_say_the_answers(tiny, tmp_path):
    shown = []
    options = {**QUICK, "epochs": 25, "learning_rate": 5e-3}
    name = finetune(str(tiny), ROWS, name="p-plan", output=str(tmp_path / "out"), show=shown.append, **options)
    assert name == "server/out"
    card = read_card(tmp_path / "out")
    assert card["losses"][0] > 3
    assert card["losses"][-1] < 0.1
    assert card["held_out_losses"][0][0] == 0
    assert card["held_out_losses"][-1][1] < 0.1
    assert card["kept_step"] == min(card["held_out_losses"], key=lambda point: point[1])[0]
    assert (card["name"], card["start_from"], card["conversations"], card["left_out"]) == ("p-plan", str(tiny), 24, 0)
    assert card["options"]["learning_rate"] == 5e-3
    assert card["options"]["seed"] == 0
    assert [said(tmp_path / "out", row) for row in ROWS[:2]] == ["tell b", "say a"]
    assert len(shown) == len(card["losses"])
    assert shown[-1].startswith(f"step {len(shown)}/{len(shown)}  loss 0.")
    assert {each.name for each in tmp_path.iterdir()} == {"tiny", "out"}


def test_killed_and_begun_again_it_has_the_same_curve_and_weights(tiny, tmp_path):
    whole, twice = tmp_path / "whole", tmp_path / "twice"
    finetune(str(tiny), ROWS, output=str(whole), **QUICK)
    for end in (5, 14):

        def kill(line, end=end):
            if line.startswith(f"step {end}/"):
                raise Killed

        with pytest.raises(Killed):
            finetune(str(tiny), ROWS, output=str(twice), show=kill, **QUICK)
        assert not twice.exists()
    with pytest.raises(MismatchError, match="begun with epochs 8, and now it is 9"):
        finetune(str(tiny), ROWS, output=str(twice), **{**QUICK, "epochs": 9})
    shown = []
    finetune(str(tiny), ROWS, output=str(twice), show=shown.append, **QUICK)
    assert shown[0].startswith("step 13/")
    one, other = read_card(whole), read_card(twice)
    for key in ("losses", "held_out_losses", "kept_step", "tokens"):
        assert one[key] == other[key]
    again = weights(twice)
    assert all(bool((value == again[name]).all()) for name, value in weights(whole).items())


def test_it_stops_where_what_is_held_out_is_learned_no_better_and_keeps_the_best(tiny, tmp_path, monkeypatch):
    told = iter([3.0, 2.0, 1.0, 1.5, 1.6, 9.9])
    monkeypatch.setattr(loop.Losses, "mean", lambda self, rows: next(told))
    kept = []
    write = checkpoint.Checkpoints.write
    monkeypatch.setattr(
        checkpoint.Checkpoints,
        "write",
        lambda self, name, state: [
            kept.append({key: value.clone() for key, value in state.items()}) if name == checkpoint.BEST else None,
            write(self, name, state),
        ],
    )
    finetune(str(tiny), ROWS, output=str(tmp_path / "out"), **QUICK, patience=2)
    card = read_card(tmp_path / "out")
    assert card["held_out_losses"] == [[0, 3.0], [3, 2.0], [6, 1.0], [9, 1.5], [12, 1.6]]
    assert (card["kept_step"], len(card["losses"]), len(kept)) == (6, 12, 2)
    result = weights(tmp_path / "out")
    assert all(bool((result[name] == value).all()) for name, value in kept[-1].items())


def test_lora_leaves_the_weights_before_as_they_are(tiny, tmp_path):
    pytest.importorskip("peft")
    before = weights(tiny)
    options = {**QUICK, "method": "lora", "rank": 4, "learning_rate": 3e-2}
    finetune(str(tiny), ROWS, output=str(tmp_path / "adapter"), format="adapter", **options)
    finetune(str(tiny), ROWS, output=str(tmp_path / "merged"), **options)
    card, merged = read_card(tmp_path / "adapter"), read_card(tmp_path / "merged")
    assert card["losses"][-1] < 0.3 * card["losses"][0]
    assert card["losses"] == merged["losses"]
    assert {"adapter_config.json", "adapter_model.safetensors"} <= {
        each.name for each in (tmp_path / "adapter").iterdir()
    }
    after = weights(tiny)
    assert all(bool((value == after[name]).all()) for name, value in before.items())
    changed = weights(tmp_path / "merged")
    name = "model.layers.0.self_attn.q_proj.weight"
    assert not bool((changed[name] == before[name]).all())
    assert bool((changed["model.embed_tokens.weight"] == before["model.embed_tokens.weight"]).all())
    with pytest.raises(InputError, match=r"LoRA cannot be put beside targets=\['nowhere'\].*all-linear, or some of: d"):
        finetune(str(tiny), ROWS, output=str(tmp_path / "none"), **{**options, "targets": ["nowhere"]})


def test_weights_of_sixteen_bits_move_and_stay_of_sixteen_bits(tiny, tmp_path):
    """At this learning rate a step is smaller than half the distance between two such weights: alone it is lost."""
    import torch
    from transformers import AutoModelForCausalLM

    AutoModelForCausalLM.from_pretrained(tiny).to(torch.bfloat16).save_pretrained(tiny)
    options = {**QUICK, "epochs": 30, "learning_rate": 3e-5, "held_out": 0}
    finetune(str(tiny), ROWS, output=str(tmp_path / "out"), **options)
    before, after = weights(tiny), weights(tmp_path / "out")
    name = "model.layers.0.mlp.up_proj.weight"
    assert before[name].dtype == after[name].dtype == torch.bfloat16
    assert (before[name] != after[name]).float().mean() > 0.3


@pytest.mark.parametrize("place", ["checkpoint", "result"])
def test_a_disk_that_is_full_is_one_sentence_and_leaves_what_was_there(place, tiny, tmp_path, monkeypatch):
    from transformers import LlamaForCausalLM

    write = LlamaForCausalLM.save_pretrained

    def without_room(self, folder):
        with no_room_for(20_000):
            write(self, folder)

    with monkeypatch.context() as broken:
        if place == "result":
            broken.setattr(LlamaForCausalLM, "save_pretrained", without_room)
        with (
            no_room_for(20_000 if place == "checkpoint" else 10**9),
            pytest.raises(InputError, match=r"cannot write .*out.*: File too large") as refused,
        ):
            finetune(str(tiny), ROWS, output=str(tmp_path / "out"), **QUICK)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.rglob("*.part"))
    shown = []
    finetune(str(tiny), ROWS, output=str(tmp_path / "out"), show=shown.append, **QUICK)
    assert read_card(tmp_path / "out")["losses"][-1] < 0.5
    assert bool(shown) == (place == "checkpoint")  # else only the result was missing


def test_nothing_is_left_of_a_training_that_cannot_begin(tiny, tmp_path):
    for rows, options in (([], {}), (ROWS[:1] * 3, {}), (ROWS, {"longest": 9})):
        with pytest.raises(InputError):
            finetune(str(tiny), rows, output=str(tmp_path / "out"), **options)
    assert {each.name for each in tmp_path.iterdir()} == {"tiny"}
