"""An index that changes: how long it takes until it is written anew, beside building it.

python benchmarks/living.py                                        # 10,000 passages, of which 100 change
python benchmarks/living.py --passages 10000,100000,1000000
"""

import argparse
import tempfile
import time
from pathlib import Path

from generated import Meanings, streaming

from multihop import BM25, Dense, Hybrid
from multihop.retrieval import dense, hybrid


def seconds(work):
    """The wall time and the processor time of some work, and what it returns."""
    started, worked = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - started, time.process_time() - worked, result


def measure(kind, count, changed, home):
    """Build an index, update some of its passages, and check that it is one built anew."""
    with streaming(count) as passages:
        listed = list(passages)
    options = {} if kind is BM25 else {"encoder": Meanings()}
    if kind is not BM25:
        listed = [page._replace(title="", text=f"{place}") for place, page in enumerate(listed)]
    *built, index = seconds(lambda: kind.build(listed, folder=home, **options))
    others = [page._replace(text=f"{page.text}0") for page in listed[:: max(1, count // changed)][:changed]]
    *took, now = seconds(lambda: index.update(others))
    gone = {page.id for page in others}
    anew = kind.build([*(page for page in listed if page.id not in gone), *others], **options)
    same = list(now) == list(anew) and now.fingerprint == anew.fingerprint
    print(
        f"{kind.kind:6} {count:>9,} passages: built in {built[0]:.1f} s ({built[1]:.1f} of the processor); "
        f"{len(others):,} changed in {took[0]:.2f} s ({took[1]:.2f}), {'as' if same else 'NOT AS'} one built anew"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", default="10000", help="sizes of the generated corpus")
    parser.add_argument("--changed", type=int, default=100, help="passages that are updated")
    given = parser.parse_args()
    dense.open_encoder = hybrid.open_encoder = lambda *_, **__: Meanings()  # an encoder that only this script has
    for count in map(int, given.passages.split(",")):
        for kind in (BM25, Dense, Hybrid):
            with tempfile.TemporaryDirectory() as home:
                measure(kind, count, given.changed, Path(home) / "index")


if __name__ == "__main__":
    main()
