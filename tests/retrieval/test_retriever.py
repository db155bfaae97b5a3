import subprocess
import sys

from multihop.retrieval import BM25, Passage, Retriever, fingerprint


class Silent:
    def search(self, queries, k):
        return [[] for _ in queries]


def test_anything_with_search_is_a_retriever():
    assert isinstance(Silent(), Retriever)
    assert not isinstance(object(), Retriever)


def test_fingerprint_is_the_retrievers_own_or_its_class():
    bm25 = BM25.build([Passage("p1", "", "a river")])
    assert isinstance(bm25, Retriever)
    assert fingerprint(bm25) == bm25.fingerprint
    assert fingerprint(Silent()) == "Silent"
    silent = Silent()
    silent.fingerprint = ""
    assert fingerprint(silent) == "Silent"
    silent.fingerprint = "silent-1"
    assert fingerprint(silent) == "silent-1"


def test_importing_retrieval_loads_no_heavy_library():
    heavy = ("numpy", "bm25s", "numba", "dspy")
    script = f"import sys, multihop.retrieval; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
