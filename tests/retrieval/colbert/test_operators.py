"""The operators against plain loops over the same numbers, and against colbert-ai's own arithmetic."""

from importlib.util import find_spec
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.skipif(find_spec("colbert") is None, reason="needs the extra [colbert]")

CENTROIDS, DIMENSIONS, QUERY = 12, 16, 5
LENGTHS = [3, 1, 7, 2, 5, 4]


@pytest.fixture
def numbers():
    import torch

    dice = torch.Generator().manual_seed(3)
    tokens = sum(LENGTHS)
    lengths = torch.tensor(LENGTHS)
    return SimpleNamespace(
        lengths=lengths,
        offsets=torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)]),
        codes=torch.randint(CENTROIDS, (tokens,), generator=dice, dtype=torch.int32),
        centroids=torch.randn(CENTROIDS, DIMENSIONS, generator=dice),
        scores=torch.randn(CENTROIDS, QUERY, generator=dice),
        of_tokens=torch.randn(tokens, QUERY, generator=dice),
    )


def own_tokens(numbers, pid):
    start = int(numbers.offsets[pid])
    return range(start, start + LENGTHS[pid])


def test_the_sum_of_the_best_is_never_below_nothing(numbers):
    from multihop.retrieval.colbert.operators import segmented_maxsim

    expected = [
        sum(
            max(0.0, *(float(numbers.of_tokens[token, part]) for token in own_tokens(numbers, pid)))
            for part in range(QUERY)
        )
        for pid in range(len(LENGTHS))
    ]
    assert segmented_maxsim(numbers.of_tokens, numbers.lengths).tolist() == pytest.approx(expected)


def test_the_rows_of_some_passages(numbers):
    import torch

    from multihop.retrieval.colbert.operators import segmented_lookup

    pids = torch.tensor([4, 0, 4])
    found = segmented_lookup(numbers.codes, pids, numbers.lengths[pids], numbers.offsets[pids])
    assert found.tolist() == [int(numbers.codes[token]) for pid in (4, 0, 4) for token in own_tokens(numbers, pid)]
    none = torch.tensor([], dtype=torch.long)
    assert segmented_lookup(numbers.codes, none, none, none).tolist() == []


def by_centroid(numbers, pid, above):
    codes = {int(numbers.codes[token]) for token in own_tokens(numbers, pid)}
    return sum(
        max([-9999.0, *(float(numbers.scores[code, part]) for code in codes if above[code])]) for part in range(QUERY)
    )


@pytest.mark.parametrize("together", [1, 1 << 17])
@pytest.mark.parametrize("count", [4, 8, 24, 100])
def test_the_candidates_that_are_left(numbers, monkeypatch, count, together):
    import torch

    monkeypatch.setattr("multihop.retrieval.colbert.operators._TOGETHER", together)
    from multihop.retrieval.colbert.operators import filter_pids

    above = numbers.scores.max(1).values >= 0.9
    assert 0 < above.sum() < CENTROIDS
    pids = torch.tensor([5, 2, 0, 1, 3], dtype=torch.int32)
    first = sorted(pids.tolist(), key=lambda pid: -by_centroid(numbers, pid, above))[:count]
    expected = sorted(first, key=lambda pid: -by_centroid(numbers, pid, [True] * CENTROIDS))[: count // 4]
    left = filter_pids(pids, numbers.scores, numbers.codes, numbers.lengths, numbers.offsets, above, count)
    assert left.dtype == torch.int32
    assert left.tolist() == expected


def test_no_candidates_leave_none(numbers):
    import torch

    from multihop.retrieval.colbert.operators import filter_pids

    none, above = torch.tensor([], dtype=torch.int32), torch.ones(CENTROIDS, dtype=torch.bool)
    assert filter_pids(none, numbers.scores, numbers.codes, numbers.lengths, numbers.offsets, above, 8).tolist() == []


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_vectors_are_unpacked_as_by_colbert_ai(numbers, bits):
    import torch

    from multihop.retrieval.colbert.library import import_colbert
    from multihop.retrieval.colbert.operators import decompress_residuals

    import_colbert()
    from colbert.indexing.codecs.residual import ResidualCodec
    from colbert.infra import ColBERTConfig

    weights = torch.linspace(-0.3, 0.4, 2**bits)
    config = ColBERTConfig(dim=DIMENSIONS, nbits=bits)
    codec = ResidualCodec(config, numbers.centroids, bucket_cutoffs=weights[1:], bucket_weights=weights)
    bytes_each, dice = DIMENSIONS // 8 * bits, torch.Generator().manual_seed(bits)
    residuals = torch.randint(256, (sum(LENGTHS), bytes_each), generator=dice, dtype=torch.uint8)
    pids = torch.tensor([2, 5], dtype=torch.int32)
    tables = (codec.bucket_weights, codec.reversed_bit_map, codec.decompression_lookup_table)
    vectors = decompress_residuals(
        pids,
        numbers.lengths,
        numbers.offsets,
        *tables,
        residuals,
        numbers.codes,
        codec.centroids,
        DIMENSIONS,
        bits,
    )
    places = [token for pid in (2, 5) for token in own_tokens(numbers, pid)]
    packed = ResidualCodec.Embeddings(numbers.codes[places], residuals[places])
    assert torch.allclose(torch.nn.functional.normalize(vectors, dim=-1), codec.decompress(packed))
