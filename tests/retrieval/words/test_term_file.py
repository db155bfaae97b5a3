import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import DamagedFileError
from multihop.retrieval.words.term_file import TermFile, write_terms

TERMS = st.lists(st.text(st.characters(exclude_categories=()), min_size=1, max_size=5), unique=True)


@given(TERMS, st.lists(st.text(max_size=5)))
def test_it_is_the_dictionary_that_was_written(tmp_path_factory, terms, others):
    folder = tmp_path_factory.mktemp("terms")
    numbers = {term: number for number, term in enumerate(terms)}
    write_terms(folder, numbers)
    found = TermFile(folder)
    assert list(found) == terms
    assert dict(found) == numbers
    assert [found.get(term, -1) for term in others] == [numbers.get(term, -1) for term in others]


@pytest.mark.parametrize("name", ["terms.ends.npy", "terms.numbers.npy"])
def test_files_that_do_not_fit_are_damage(tmp_path, name):
    write_terms(tmp_path, {"river": 0, "lake": 1})
    numpy.save(tmp_path / name, numpy.zeros(3, numpy.float32))
    with pytest.raises(DamagedFileError, match=r"is damaged, terms\.ends\.npy is not as it was written"):
        TermFile(tmp_path)
