import pytest

from multihop.base import InputError
from multihop.optimize.finetuning.training.options import TrainingOptions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epoch": 2}, "unknown option of a local training 'epoch'; did you mean 'epochs'"),
        ({"method": "lorra"}, "unknown method of a training 'lorra'; did you mean 'lora'"),
        ({"format": "onnx"}, "unknown format of a training 'onnx'"),
        ({"epochs": 0}, "epochs of a training is a whole number from 1 to 1000, not 0"),
        ({"epochs": 1.5}, "epochs of a training is a whole number"),
        ({"learning_rate": "fast"}, "learning_rate of a training is a number from 1e-09 to 1, not 'fast'"),
        ({"held_out": True}, "held_out of a training is a number"),
        ({"gradient_checkpointing": "yes"}, "gradient_checkpointing of a training is true or false, not 'yes'"),
        ({"targets": 3}, "targets of a training are names of layers, not 3"),
        ({"format": "adapter"}, "only method=lora leaves an adapter"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, message):
    with pytest.raises(InputError, match=message):
        TrainingOptions.of(given)


def test_the_learning_rate_is_the_methods():
    assert TrainingOptions.of({}).peak == 5e-5
    assert TrainingOptions.of({"method": "lora"}).peak == 2e-4
    assert TrainingOptions.of({"learning_rate": 0.01}).peak == 0.01
