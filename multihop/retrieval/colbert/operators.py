"""The operators that colbert-ai compiles from C++, in PyTorch: the same results, without a compiler on the machine.

Tokens of all passages lie one after the other; `offsets` and `lengths` say where a passage's begin and how many there
are.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

_TOGETHER = 1 << 17
"""Tokens whose scores are held at once."""
_NONE = -9999.0
"""The score of a query's token where a passage has none to compare it with."""


def segmented_maxsim(scores: "Tensor", lengths: "Tensor") -> "Tensor":
    """For each passage, given the scores of its tokens, the sum over the query's tokens of the best, at least 0."""
    return _sum_of_best(scores, lengths, least=0.0)


def segmented_lookup(tokens: "Tensor", pids: "Tensor", lengths: "Tensor", offsets: "Tensor") -> "Tensor":
    """The rows of some passages, one after the other."""
    return tokens[_places(lengths, offsets)]


def filter_pids(
    pids: "Tensor",
    centroid_scores: "Tensor",
    codes: "Tensor",
    lengths: "Tensor",
    offsets: "Tensor",
    above: "Tensor",
    count: int,
) -> "Tensor":
    """The candidates whose tokens' centroids come nearest to the query's tokens.

    Args:
        pids: The candidates.
        centroid_scores: Centroid by query's token.
        codes: The centroid of each token.
        lengths: Of all passages.
        offsets: Of all passages.
        above: The centroids that are near enough to any of the query's tokens to be looked at, at first.
        count: The number of candidates kept at first; a quarter of these is kept by the scores of all their tokens.
    """
    import torch

    near = centroid_scores.masked_fill(~above.unsqueeze(1), _NONE)
    for scores, most in ((near, count), (centroid_scores, count // 4)):
        values = torch.cat(
            [_best_by_centroid(block, scores, codes, lengths, offsets) for block in _blocks(pids, lengths)]
        )
        pids = pids[values.topk(min(most, len(values))).indices]
    return pids


def decompress_residuals(
    pids: "Tensor",
    lengths: "Tensor",
    offsets: "Tensor",
    bucket_weights: "Tensor",
    reversed_bits: "Tensor",
    combinations: "Tensor",
    residuals: "Tensor",
    codes: "Tensor",
    centroids: "Tensor",
    dimensions: int,
    bits: int,
) -> "Tensor":
    """The vectors of all tokens of some passages: their centroids, and the differences that their bytes tell."""
    places = _places(lengths[pids.long()], offsets[pids.long()])
    by_byte = bucket_weights[combinations.long()][reversed_bits.long()]
    return centroids[codes[places].long()] + by_byte[residuals[places].long()].reshape(len(places), dimensions)


def _places(lengths: "Tensor", offsets: "Tensor") -> "Tensor":
    """The places of the passages' tokens, given the passages' own lengths and offsets."""
    import torch

    ends = lengths.cumsum(0)
    total = int(ends[-1]) if len(ends) else 0
    return torch.repeat_interleave(offsets - (ends - lengths), lengths) + torch.arange(total)


def _blocks(pids: "Tensor", lengths: "Tensor") -> list["Tensor"]:
    """The candidates in blocks whose tokens' scores fit into memory; at least one block, be it empty."""
    longest = int(lengths.max()) if len(lengths) else 1
    return list(pids.split(max(1, _TOGETHER // max(1, longest))))


def _best_by_centroid(
    pids: "Tensor", scores: "Tensor", codes: "Tensor", lengths: "Tensor", offsets: "Tensor"
) -> "Tensor":
    sizes = lengths[pids.long()]
    of_tokens = scores[codes[_places(sizes, offsets[pids.long()])].long()]
    return _sum_of_best(of_tokens, sizes, least=_NONE)


def _sum_of_best(scores: "Tensor", lengths: "Tensor", *, least: float) -> "Tensor":
    """For each passage, given the scores of its tokens, the sum over the query's tokens of the best."""
    import torch

    if not len(lengths):  # which the next line would refuse
        return scores.new_zeros(0)
    return torch.segment_reduce(scores, "max", lengths=lengths, axis=0, initial=least).sum(1)
