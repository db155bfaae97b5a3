import subprocess
import sys

BUILD = """
import sys
sys.path.insert(0, sys.argv[1])
from multihop import BM25, Passage
BM25.build([Passage(id="a", title="Ada", text="Ada wrote it.")], folder=sys.argv[2])
print("bm25s" in sys.modules, "jax" in sys.modules)
import jax
"""


def test_an_index_is_built_without_starting_jax(tmp_path):
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("print('started')")
    run = [sys.executable, "-c", BUILD, str(tmp_path), str(tmp_path / "index")]
    assert subprocess.check_output(run, text=True).split() == ["True", "False", "started"]
