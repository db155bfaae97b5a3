import numpy as np
import pytest

from multihop.encoder import Encoder, Pair

TEXTS = ["A river in Austria", "The Danube | A river in Austria", "word " * 400]
PAIRS = [Pair("Who wrote it?", text) for text in TEXTS]


@pytest.fixture
def encoder(tiny_encoder_folder):
    return Encoder.load(tiny_encoder_folder)


def test_a_text_is_embedded_by_its_words(encoder):
    ((near, far),) = encoder.embed(["A river"]) @ encoder.embed(["a river in Austria", "Who wrote it?"]).T
    assert near > far


def test_what_it_says_does_not_depend_on_what_is_asked_with_it(encoder):
    together = encoder.judge(PAIRS)
    for pair, judged in zip(PAIRS, together, strict=True):
        (alone,) = encoder.judge([pair])
        assert np.allclose(alone[:6], judged[:6], atol=1e-6)


@pytest.mark.usefixtures("tiny_encoder")
def test_it_stands_in_for_the_built_in_one(tiny_encoder_folder):
    assert Encoder.load().folder == tiny_encoder_folder.resolve()
