"""The table of docs/data.md is the catalogue; the page's blocks are run by tests/test_pages.py."""

from pathlib import Path

from multihop.data import known_sets

PAGE = (Path(__file__).parents[1] / "docs" / "data.md").read_text()


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
