from pathlib import Path

import pytest

from multihop.data import known_set, known_sets

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text()


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


def test_the_table_has_every_set_as_the_catalogue_has_it():
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    assert [row[0].strip("`") for row in rows] == list(known_sets())
    for (_, questions, corpus, licence), known in zip(rows, known_sets().values(), strict=True):
        assert licence == known.licence
        counts = [f"{known.questions[split]:,} {split}" for split in known.splits]
        assert questions == (", ".join(counts) or "none")
        if known.corpus_of:
            assert corpus == f"the paragraphs of {known.corpus_of}"
        else:
            assert corpus == (
                f"{known.passages:,} passages" if known.passages else "passages" if known.has_corpus else "none"
            )
