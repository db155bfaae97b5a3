import csv

from multihop.data import open_corpus, open_questions
from multihop.data.files.record import Record
from multihop.data.formats import frames
from multihop.data.formats.known_formats import format_of

LINKS = ["https://en.wikipedia.org/wiki/Dusk_(film)", "https://en.wikipedia.org/wiki/Rosa_Tiel#Early_life"]
ROW = {
    "": "0",
    "Prompt": "Where was the author of the book that Dusk is based on born?",
    "Answer": "Torun",
    "wikipedia_link_1": LINKS[0],
    "wikipedia_link_2": LINKS[1],
    "wikipedia_link_11+": "",
    "reasoning_types": "Numerical reasoning | Multiple constraints",
    "wiki_links": str(LINKS),
}


def test_the_released_table(tmp_path):
    with (tmp_path / "test.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(ROW), delimiter="\t")
        writer.writeheader()
        writer.writerows([ROW, {**ROW, "": "1", "Prompt": "Who wrote Dusk?", "wiki_links": str(LINKS[1:])}])
    first, second = open_questions(tmp_path / "test.tsv")
    assert (first.question, first.answers) == (ROW["Prompt"], ("Torun",))
    assert first.supporting == ("Dusk (film)", "Rosa Tiel")
    assert first.type == "Numerical reasoning | Multiple constraints"
    assert second.supporting == ("Rosa Tiel",)
    assert first.id != second.id


def test_a_list_of_links_as_the_hub_may_have_it():
    record = Record({**ROW, "id": "7", "wiki_links": [LINKS[0], LINKS[0]]}, "")
    assert format_of(record) is frames.FORMAT
    assert frames.read(record).supporting == ("Dusk (film)",)


def test_links_that_are_written_together_and_with_notes():
    links = [f"{LINKS[0]},https://en.m.wikipedia.org/wiki/Washington,_D.C.", f"{LINKS[1]} (see the table)"]
    record = Record({**ROW, "id": "7", "wiki_links": str(links)}, "")
    assert frames.read(record).supporting == ("Dusk (film)", "Washington, D.C.", "Rosa Tiel")


def test_the_articles_beside_it_go_by_the_same_titles(tmp_path):
    (tmp_path / "articles.jsonl").write_text(
        '{"title": "Dusk_(film)", "link": "https://en.wikipedia.org/wiki/Dusk_(film)", "frames_prompt_id": [0], '
        '"original_link": [], "text": "Dusk is a film."}\n'
    )
    (article,) = open_corpus(tmp_path / "articles.jsonl")
    assert article == ("Dusk (film)", "Dusk (film)", "Dusk is a film.")
