import os
from pathlib import Path

import pytest

from multihop.__main__ import main
from multihop.base import InputError
from multihop.lms.gguf_engine.files import FOLDERS, check_file, find_file, fingerprint


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders of models, and the one that commands run in."""
    here, one, two = (tmp_path / name for name in ("here", "one", "two"))
    for folder in (here, one, two):
        folder.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv(FOLDERS, os.pathsep.join(map(str, (one, two))))
    return one, two


def model_file(path, content=b"weights"):
    path.write_bytes(b"GGUF" + content)
    return path


def test_a_name_is_looked_for_here_and_then_in_the_folders_of_models(folders):
    path = model_file(folders[1] / "m.gguf")
    assert find_file("m.gguf") == path
    model_file(Path("m.gguf"))
    assert find_file("m.gguf") == Path("m.gguf")


def test_a_path_is_taken_as_it_is(folders):
    model_file(folders[0] / "m.gguf")
    assert find_file("sub/m.gguf") == Path("sub/m.gguf")


def test_two_files_of_one_name_are_both_told(folders, capsys):
    one, two = (model_file(folder / "m.gguf") for folder in folders)
    assert main(["ask", "Who?", "-p", "direct", "--lm", "gguf:m.gguf"]) == 2
    said = capsys.readouterr().err
    assert (
        said == f"multihop: there are 2 model files named m.gguf: {one}, {two}; write the path of the one you mean.\n"
    )


def test_one_file_under_two_links_is_one(folders):
    path = model_file(folders[0] / "m.gguf")
    (folders[1] / "m.gguf").symlink_to(path)
    assert find_file("m.gguf").resolve() == path.resolve()


def test_a_name_that_is_nowhere_is_told_with_the_places(folders):
    with pytest.raises(InputError, match=rf"no model file m.gguf in \., {folders[0]}, {folders[1]}; name the folder"):
        find_file("m.gguf")


def test_files_are_told_apart_by_their_content(tmp_path):
    one, two = model_file(tmp_path / "one"), model_file(tmp_path / "two", b"Weights")
    assert check_file(one) == one
    assert fingerprint(one) != fingerprint(two)
