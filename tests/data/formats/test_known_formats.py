import pytest

from multihop.base import InputError
from multihop.data.files.record import Record
from multihop.data.formats.known_formats import format_of


def test_an_unknown_layout_lists_the_known_ones():
    with pytest.raises(InputError) as caught:
        format_of(Record({"prompt": "Who?", "completion": "Ada"}, "x.jsonl, line 1"))
    message = str(caught.value)
    assert message.startswith("x.jsonl, line 1: not a question in a known layout. Its fields are prompt, completion.")
    for name in ("FlashRAG", "HotpotQA", "2WikiMultiHopQA", "MuSiQue", "(question, answers)"):
        assert name in message
