import pytest
import ujson
from small_corpus import ROWS

from multihop.__main__ import main


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(ujson.dumps(row) + "\n" for row in ROWS))
    return str(path)


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture(scope="session")
def finished(tmp_path_factory, tiny_encoder_folder):
    """The folders of three runs over six questions of the little encyclopedia, with 1, 5 and 9 passages a search."""
    folder = tmp_path_factory.mktemp("runs")
    for k in (1, 5, 9):
        options = ["--set", f"k={k}", "--limit", "6", "--lm", "local", "--quiet", "--out", str(folder / f"k{k}")]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder)
            assert main(["evaluate", "one-step", *options]) == 0
    return [folder / f"k{k}" for k in (1, 5, 9)]
