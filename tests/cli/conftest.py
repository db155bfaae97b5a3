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
