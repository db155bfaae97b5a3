from hypothesis import given
from hypothesis import strategies as st

from multihop.data.files.record import Record
from multihop.data.formats.format import Format, content_id


def test_a_format_fits_where_all_its_marks_are_filled():
    layout = Format("test", ("a", "b"), lambda record: None)
    assert layout.fits(Record({"a": [], "b": 0, "c": 1}, ""))
    assert not layout.fits(Record({"a": 1, "b": None}, ""))
    assert not layout.fits(Record({"a": 1}, ""))


@given(st.text(), st.text(), st.text())
def test_content_ids_tell_texts_apart_and_show_the_title(title, one, other):
    assert content_id(title, one).startswith(f"{title}#")
    assert (content_id(title, one) == content_id(title, other)) == (one == other)
