import dspy
import pytest
from answering import answering
from toys import evaluated

from multihop import Passage, Question
from multihop.data.question import content_id
from multihop.evaluation.metrics import AllRecall, Recall
from multihop.evaluation.metrics.passages import NO_GOLD, NO_PASSAGES, UNRECOGNISED, match_gold
from multihop.programs import Direct, OneStep, ReasoningViaPlanning
from multihop.retrieval import as_retriever

EMMA = Passage("Emma", "Emma", "A novel by Jane Austen.")
AUSTEN = Passage("Jane Austen", "Jane Austen", "She was born in Steventon.")
OTHER = Passage("Bath", "Bath", "A city.")


def hotpot(**fields):
    fields = {"supporting": ("Emma", "Jane Austen"), **fields}
    return Question(id="q", question="Where?", answers=("Steventon",), **fields)


def came(*passages, **fields):
    return dspy.Prediction(passages=list(passages), **fields)


def numbered(*passages):
    return [passage._replace(id=str(number)) for number, passage in enumerate(passages, 1)]


def musique():
    """Two gold paragraphs of one title, and another of the same title that is not gold."""
    texts = ("Emma was written in 1815.", "Emma has a heroine.", "Emma was filmed in 1996.")
    one, two, other = (Passage(content_id("Emma", text), "Emma", text) for text in texts)
    bath = Passage(content_id("Bath", "A city."), "Bath", "A city.")
    return hotpot(supporting=(one.id, two.id), passages=(one, two, other, bath)), one, two, other


def test_by_id_where_any_of_the_questions_ids_came():
    question = hotpot(passages=(EMMA, AUSTEN, OTHER))
    assert match_gold(question, came(OTHER, EMMA)) == ("id", {"Emma": 1}, 2)
    assert match_gold(question, came(OTHER)) == ("id", {}, 2)  # a distractor shows that the ids are the same
    assert match_gold(hotpot(context_ids=("c7",)), came(Passage("c7", "", "x"))).by == "id"
    assert Recall(5).measure(question, came(OTHER)) == 0.0


def test_numbers_in_the_corpus_against_titles_in_the_questions_are_matched_by_title():
    austen = Passage("", "jane  AUSTEN", "Another cut of her page.")
    found = numbered(OTHER, austen, Passage("", "Emma", "Yet another."))
    for question in (hotpot(), hotpot(passages=(EMMA, AUSTEN))):
        assert match_gold(question, came(*found)) == ("title", {"Jane Austen": 1, "Emma": 2}, 2)
        assert Recall(2).measure(question, came(*found)) == 0.5
        assert AllRecall(3).measure(question, came(*found)) == 1.0


def test_by_text_where_the_question_brings_its_paragraphs():
    question, _, two, other = musique()
    match = match_gold(question, came(*numbered(other, two._replace(text="emma  has a HEROINE."))))
    assert match == ("text", {two.id: 1}, 2)  # the first one's title is no match


def test_duplicate_titles_do_not_inflate_recall():
    question, one, _, _ = musique()
    one_chunk = numbered(Passage("", "Emma", "A chunk of the page, cut in another way."))
    assert match_gold(question, came(*one_chunk)) == ("title", {one.id: 0}, 2)
    assert Recall().measure(question, came(*one_chunk)) == 0.5
    same_corpus = Passage(content_id("Emma", "Emma is long."), "Emma", "Emma is long.")
    assert match_gold(question, came(same_corpus)) == (UNRECOGNISED, {}, 2)  # ids of the same make: not this paragraph


def test_a_paragraph_that_the_question_lacks_is_matched_by_its_title_beside_the_others_texts():
    question = hotpot(passages=(EMMA, OTHER))
    found = numbered(EMMA, Passage("", "Jane Austen", "Her page."))
    assert match_gold(question, came(*found)) == ("text", {"Emma": 0, "Jane Austen": 1}, 2)


def test_what_has_no_recall_and_what_has_missed():
    assert match_gold(hotpot(supporting=()), came(EMMA)).by == NO_GOLD
    assert match_gold(hotpot(), dspy.Prediction(answer="x")).by == NO_PASSAGES
    assert Recall(5).measure(hotpot(), came()) is None
    assert Recall(5).measure(hotpot(), came(cost={"retrievals": 2})) == 0.0  # it looked, and kept nothing
    assert Recall(5).measure(hotpot(), came(Passage("17", "Rome", "x"))) == 0.0
    assert "Missing 2 of 2" in Recall(5)(hotpot(), came(Passage("17", "Rome", "x"))).feedback


def shelf(*passages):
    return as_retriever(lambda query, k: passages[:k])


def run(program, folder, questions):
    done = evaluated(lambda prompt: {"answer": "Steventon"}, questions, folder, program)
    return done, (folder / "summary.md").read_text(), {row["id"]: row for row in done.rows()}


TWO = [hotpot(), Question(id="r", question="Who?", answers=("Ada",), supporting=("Rome", "Ada Lovelace"))]


def test_a_run_says_how_its_recall_was_matched(tmp_path):
    done, page, rows = run(OneStep(shelf(*numbered(EMMA, AUSTEN))), tmp_path, TWO)
    assert {name: row["matched_by"] for name, row in rows.items()} == {"q": "title", "r": UNRECOGNISED}
    assert done.summary["metrics"]["recall@5"]["mean"] == 0.5  # of "r", nothing came: a miss, since titles do match
    assert done.summary["recall"] == {
        "matched_by": {"title": 1, UNRECOGNISED: 1},
        "note": "recall matched by title (1 question); in 1 question no gold was found, which counts as 0",
    }
    assert "Recall matched by title (1 question)" in page
    assert "| recall@5 | 50.0 |" in page


@pytest.mark.parametrize(
    ("program", "questions", "note"),
    [
        (Direct(), TWO, "no recall: the program returned no passages"),
        (OneStep(shelf(*numbered(OTHER))), TWO, "no recall: none of the passages that came is known"),
        (OneStep(shelf(EMMA)), [hotpot(supporting=())], "no recall: the questions name no gold passages"),
    ],
)
def test_where_nothing_can_match_there_is_no_figure_but_a_reason(program, questions, note, tmp_path):
    done, page, _ = run(program, tmp_path, questions)
    assert not [name for name in done.summary["metrics"] if "recall" in name]
    assert done.summary["recall"]["note"].startswith(note)
    assert "| recall@5 | – | – | 0 |" in page
    assert f"N{note[1:]}" in page


def test_retrievals_after_all_gold_is_found_are_counted_only_where_ids_match(tmp_path):
    class Rounds(OneStep):
        async def aforward(self, question):
            hits = [*await self.find(question, 5), *await self.find(question, 5)]
            return dspy.Prediction(answer="x", passages=[hit.passage for hit in hits], counts={"rounds": 2})

    _, _, rows = run(Rounds(shelf(EMMA, AUSTEN)), tmp_path / "id", [hotpot()])
    assert rows["q"]["counts"] == {"rounds": 2, "over_planning": 1}
    _, _, rows = run(Rounds(shelf(*numbered(EMMA, AUSTEN))), tmp_path / "title", [hotpot()])
    assert rows["q"]["counts"] == {"rounds": 2}


def test_a_program_that_is_set_not_to_retrieve_has_no_recall_even_with_a_retriever():
    for program in (Direct(), ReasoningViaPlanning(lambda query, k: [], iterations=1, depth=1, candidates=1)):
        done = evaluated(answering(), [hotpot()], program=program, metrics=[Recall(5)])
        (row,) = done.rows()
        assert (row["matched_by"], row["metrics"]) == (NO_PASSAGES, {"recall@5": None})
