import pytest

from multihop.data import known_set, known_sets


@pytest.mark.parametrize("name", known_sets())
def test_every_entry_is_complete(name):
    known = known_set(name)
    assert known.name == name
    assert all((known.title, known.what, known.licence, known.citation, known.homepage))
    assert bool(known.repository) == (known.megabytes > 0) == (not known.elsewhere)
    assert set(known.files) <= {"train", "dev", "test", "corpus"}
    assert set(known.questions) == set(known.splits)
    assert known.corpus_of in ("", *known.splits)
    assert not (known.corpus_of and "corpus" in known.files)
    assert bool(known.passages) == ("corpus" in known.files) or name == "wiki21"  # nobody says how many it has
    assert known.rules in ("hotpotqa", "2wikimultihopqa", "musique")
    assert len(known.repository.split("/")) == (2 if known.repository else 1)
    assert not any(pattern.startswith("/") for pattern in known.files.values())
