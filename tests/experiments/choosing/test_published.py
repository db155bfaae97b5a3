from multihop.experiments.choosing.published import published_figures


def test_each_program_has_its_highest_figure_and_ours_are_not_among_them():
    found = published_figures("musique", "large")
    assert (found[0].program, found[0].f1, found[0].lm, found[0].experiment) == (
        "tor",
        46.2,
        "GPT-4-Turbo",
        "tor-table-3",
    )
    assert len({each.program for each in found}) == len(found)
    assert [each.f1 for each in found] == sorted((each.f1 for each in found), reverse=True)
    assert published_figures("hotpotqa", "built in") == published_figures("hotpotqa", "small") == []
