import pytest
from some_rows import some_row

from multihop import InputError
from multihop.experiments import choose
from multihop.experiments.choosing.choosing import best_row, is_better

LM = "gguf:tiny-1.5b.gguf"


def test_a_row_is_beaten_where_the_difference_is_larger_than_its_interval():
    low, high = some_row(f1=40.0, half=3.0), some_row(f1=45.5, half=4.0)
    assert is_better(high, low)
    assert not is_better(low, high)
    assert not is_better(some_row(f1=45.0, half=4.0), low)  # √(9 + 16) is 5


def test_of_rows_that_none_beats_the_highest_of_about_the_cheapest_is_taken():
    cheap, about, dear = (
        some_row("one-step", 40.0, tokens=1000),
        some_row("ranked-rag", 43.0, tokens=2000),
        some_row("tor", 44.0, tokens=2001),
    )
    beaten = some_row("direct", 20.0, tokens=100)
    assert best_row([cheap, about, dear, beaten]) == about
    assert best_row([cheap, dear, beaten]) == cheap


def test_a_row_of_too_few_questions_is_not_taken_because_it_is_cheap():
    many = some_row("ranked-rag", 53.0, tokens=900, half=4.0, n=400)
    enough, few = (some_row("efficientrag", 48.0, tokens=400, half=12.0, n=n) for n in (100, 99))
    assert best_row([many, enough]) == enough
    assert best_row([many, few]) == many


def test_the_whole_answer():
    one_step, resp, tor = (
        some_row("one-step", 40.0, tokens=1000),
        some_row("resp", 50.0, tokens=5000, calls=5.0),
        some_row("tor", 60.0, tokens=9000, calls=13.0),
    )
    elsewhere = some_row("ircot", 30.0, set="musique", hops=2.5, calls=2.6)
    choice = choose(LM, hops=2.0, passages=9000, calls=5, rows=[one_step, resp, tor, elsewhere])
    assert (choice.row, choice.runner_up, choice.more, choice.elsewhere) == (resp, one_step, tor, (elsewhere,))
    assert (choice.fits, choice.caveats, choice.published) == (True, (), ())


def test_without_a_budget_nothing_is_beyond_it():
    rows = [some_row("one-step", 40.0), some_row("tor", 60.0, tokens=9000)]
    choice = choose(LM, hops=2, rows=rows)
    assert (choice.row, choice.runner_up, choice.more) == (rows[1], rows[0], None)


@pytest.mark.parametrize(("limit", "taken"), [({"tokens": 5000}, "resp"), ({"tokens": 4999}, "one-step")])
def test_tokens_count_in_and_out(limit, taken):
    rows = [some_row("one-step", 40.0, tokens=1000), some_row("resp", 50.0, tokens=5000)]
    assert choose(LM, rows=rows, **limit).row.program == taken


def test_seconds_leave_out_rows_without_a_time():
    rows = [some_row("resp", 60.0), some_row("one-step", 40.0, seconds=4.0)]
    assert choose(LM, hops=2, rows=rows, seconds=5).row == rows[1]
    choice = choose(LM, hops=2, rows=rows[:1], seconds=5)
    assert (choice.row, choice.fits) == (rows[0], False)
    assert choice.caveats == (
        "nothing measured stays within 5 seconds a question; this is the nearest, of which no time was measured",
    )


def test_where_nothing_is_within_the_budget_the_nearest_row_is_no_fit():
    rows = [some_row("resp", 60.0, calls=5.0), some_row("ircot", 40.0, calls=2.6)]
    choice = choose(LM, hops=2, rows=rows, calls=2)
    assert (choice.row, choice.fits, choice.runner_up, choice.more) == (rows[1], False, None, rows[0])
    assert choice.caveats == ("nothing measured stays within 2 LM calls a question; this is the nearest",)


def test_rows_of_the_nearest_lm_count_alone():
    rows = [some_row("tor", 80.0, lm="big-8b", size=8.0), some_row("one-step", 20.0, lm="tiny-0.5b", size=0.5)]
    choice = choose("gguf:mine-1b.gguf", hops=2, rows=rows)
    assert (choice.row, choice.fits, choice.runner_up) == (rows[1], True, None)
    assert choice.caveats == ("measured with tiny-0.5b, not with mine-1b",)


def test_where_no_lm_of_the_kind_was_measured_papers_speak_and_are_called_published():
    choice = choose("server/Qwen/Qwen3-8B", hops=2, rows=[some_row()])
    assert not choice.fits
    assert choice.caveats == ("no LM of 3 to 14 B was measured; the nearest is tiny-1.5b",)
    assert [(each.program, each.f1) for each in choice.published[:2]] == [
        ("iter-retgen", 60.89),
        ("efficientrag", 57.93),
    ]


def test_the_nearest_set_is_the_one_of_as_many_hops_and_about_as_many_passages():
    rows = [some_row(), some_row(set="musique", hops=2.6), some_row(set="2wikimultihopqa", hops=2.6, passages=800_000)]
    assert choose(LM, hops=2.7, passages=9000, rows=rows).row == rows[1]
    assert choose(LM, hops=2.7, passages=900_000, rows=rows).row == rows[2]
    assert choose(LM, hops=2, rows=rows).row == rows[0]


def test_a_far_corpus_and_far_questions_are_told():
    assert choose(LM, hops=4, passages=5_000_000, rows=[some_row()]).caveats == (
        "measured over 8,000 passages, not 5,000,000: expect less to be found",
        "the questions of HotpotQA have 2.0 hops, yours 4.0",
    )
    assert choose(LM, rows=[some_row()]).caveats == (
        "nothing tells the hops of your questions; those of HotpotQA have 2.0",
    )


def test_a_kind_of_retriever_leaves_out_the_others():
    rows = [
        some_row("ranked-rag", 60.0, retriever="hybrid"),
        some_row("one-step"),
        some_row("direct", 5, retriever=None),
    ]
    choice = choose(LM, rows=rows, retriever="bm25")
    assert (choice.row, choice.runner_up) == (rows[1], rows[2])
    with pytest.raises(InputError, match="unknown kind of retriever that was measured 'colbert'. Valid: bm25, hybrid"):
        choose(LM, rows=rows, retriever="colbert")


@pytest.mark.parametrize("limit", ["calls", "tokens", "seconds"])
def test_a_budget_is_above_0(limit):
    with pytest.raises(InputError, match=f"{limit} is what a question may take, a number above 0, not 0"):
        choose(rows=[some_row()], **{limit: 0})


def test_there_must_be_a_row():
    with pytest.raises(InputError, match="no measured row"):
        choose(rows=[])
