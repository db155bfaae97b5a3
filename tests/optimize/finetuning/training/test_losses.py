import pytest
from tiny_lm import NEEDS_TRAINING, make_tiny

from multihop.optimize.finetuning.training.conversations import Example
from multihop.optimize.finetuning.training.losses import Losses
from multihop.optimize.finetuning.training.packing import pack

pytestmark = NEEDS_TRAINING
ROWS = [
    Example((1, *range(20, 60), 9, 8, 0), 41, "a"),
    Example((1, *range(20, 60), 7, 0), 41, "a"),
    Example((1, *range(20, 50), 70, 71, 72, 9, 0), 34, "b"),
]


def losses(folder, **options):
    from transformers import AutoModelForCausalLM

    network = AutoModelForCausalLM.from_pretrained(make_tiny(folder, **options)).eval()
    return Losses(network, precision="fp32", tokens=512)


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_packed_rows_have_the_losses_and_the_gradients_of_rows_one_by_one(kind, tmp_path):
    import torch

    measure = losses(tmp_path, kind=kind)
    assert len(pack(ROWS).tokens) == 51  # of 128
    together = measure.of_pack(ROWS)
    together.backward()
    gradients = [weight.grad.clone() for weight in measure.network.parameters()]
    measure.network.zero_grad()
    alone = sum(measure.of_pack([row]) for row in ROWS)
    alone.backward()
    assert together.item() == pytest.approx(alone.item(), rel=1e-5)
    for one, weight in zip(gradients, measure.network.parameters(), strict=True):
        torch.testing.assert_close(one, weight.grad, rtol=1e-3, atol=1e-4)
    assert measure.check_packing(ROWS) is True


def test_the_loss_is_of_the_answers_alone(tmp_path):
    """By hand: the mean over the tokens of the answers of what each was thought of."""
    import torch

    measure, total, count = losses(tmp_path), 0.0, 0
    with torch.no_grad():
        for row in ROWS:
            scores = measure.network(input_ids=torch.tensor([row.tokens])).logits[0].log_softmax(-1)
            for place in range(row.asked, len(row.tokens)):
                total, count = total - scores[place - 1, row.tokens[place]].item(), count + 1
    assert count == 7
    assert measure.mean(ROWS) == pytest.approx(total / count, rel=1e-5)


def test_where_layers_see_a_window_rows_are_not_packed(tmp_path):
    measure = losses(tmp_path, kind="mistral")
    assert measure.check_packing(ROWS) is False
    assert measure.tokens == 0
