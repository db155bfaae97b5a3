"""The numbers that a training computes with; it needs the extra [train], and is skipped without PyTorch."""

import pytest

torch = pytest.importorskip("torch")

from multihop.training.network import steps  # noqa: E402


@pytest.fixture(autouse=True)
def anew():
    steps._half_is_faster.cache_clear()
    yield
    steps._half_is_faster.cache_clear()


@pytest.mark.parametrize(
    ("able", "half", "expected"),
    [(True, 0.4, torch.bfloat16), (True, 0.9, torch.float32), (True, 1.5, torch.float32), (False, 0.4, torch.float32)],
)
def test_half_precision_is_for_processors_that_are_faster_with_it(monkeypatch, able, half, expected):
    tried = []

    def seconds(precision):
        tried.append(precision)
        return half if precision == torch.bfloat16 else 1.0

    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: able, raising=False)
    monkeypatch.setattr(steps, "_seconds", seconds)
    assert [steps.fast_precision(torch.device("cpu")) for _ in range(2)] == [expected, expected]
    assert tried == ([torch.bfloat16, torch.float32] if able else [])


def test_a_product_is_timed():
    assert steps._seconds(torch.float32) > 0
