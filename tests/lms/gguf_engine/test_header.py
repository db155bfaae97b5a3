import pytest
from tiny_gguf import gguf, qwen3

from multihop.base import DamagedFileError, InputError
from multihop.lms.gguf_engine.header import Header, read_header


@pytest.fixture
def read(tmp_path):
    def read(content):
        (tmp_path / "m.gguf").write_bytes(content)
        return read_header(tmp_path / "m.gguf")

    return read


def test_a_description_is_read_up_to_the_vocabulary(read):
    tokens = {"tokenizer__ggml__tokens": ["a"] * 9, "general__author": "late"}
    assert read(qwen3(general__tags=["x", "y"], general__scale=0.5, **tokens)) == Header("Qwen3 0.6B", "qwen3", 40960)


def test_what_is_not_said_is_none(read):
    assert read(gguf(general__architecture="llama")) == Header(None, "llama", None)
    assert read(gguf()) == Header(None, None, None)


def test_a_file_that_ends_too_early_is_refused(read):
    whole = qwen3()
    for end in (4, 12, 30, len(whole) - 1):
        with pytest.raises(DamagedFileError, match=r"m.gguf is damaged: its description cannot be read\.$"):
            read(whole[:end])


def test_another_file_is_refused(read):
    with pytest.raises(InputError, match="is no GGUF file"):
        read(b"PK\3\4")
