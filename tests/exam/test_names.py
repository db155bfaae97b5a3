from multihop import Passage
from multihop.exam.facts import read_facts
from multihop.exam.names import PagesByName
from multihop.exam.subjects import read_subject

FILM = Passage("film", "Last Bus", "Last Bus is a film directed by Ann Lee.")
SONG = Passage("song", "Joey", 'Joey is a song by the duo Sugarland, from their second album, "Joy".')


def leads(fact_of, *others):
    pages = [fact_of, *others]
    subjects = [subject for page in pages if (subject := read_subject(page))]
    named = PagesByName(pages, subjects)
    return [found.page.id for fact in read_facts(subjects[0]) if (found := named.leads_to(fact))]


def test_a_value_leads_to_the_page_of_its_name():
    assert leads(FILM, Passage("p", "Ann Lee (director)", "Ann Lee is a film director.")) == ["p"]


def test_a_namesake_of_another_trade_or_kind_is_not_meant():
    assert leads(FILM, Passage("p", "Ann Lee", "Ann Lee is a Welsh botanist.")) == []
    assert leads(FILM, Passage("p", "Ann Lee", "Ann Lee is a rock band.")) == []


def test_one_of_two_that_may_be_meant_is_not_chosen():
    one = Passage("p", "Ann Lee (director)", "Ann Lee is a film director.")
    assert leads(FILM, one, Passage("q", "Ann Lee (producer)", "Ann Lee is a film producer.")) == []


def test_a_work_must_have_another_name_in_common():
    assert leads(SONG, Passage("p", "Joy (album)", "Joy is an album by Sugarland.")) == ["p"]
    assert leads(SONG, Passage("p", "Joy (album)", "Joy is an album by Xzibit.")) == []


def test_names_that_several_have():
    pages = [FILM, Passage("other", "Last Bus (1990 film)", "Last Bus is a 1990 film."), SONG]
    subjects = [read_subject(page) for page in pages]
    named = PagesByName(pages, subjects)
    assert [named.is_only_one(subject) for subject in subjects] == [False, False, True]
    assert [named.is_named_alike(subject) for subject in subjects] == [True, True, False]


def test_pages_that_hold_a_name():
    named = PagesByName(
        [FILM, SONG], [read_subject(SONG), read_subject(Passage("p", "Ann Lee", "Ann Lee is a singer."))]
    )
    assert [page.id for page in named.holding("ann lee")] == ["film"]
    assert named.holding("Ann") == [FILM]
    assert [page.id for page in named.holding("Joey")] == ["song"]
    assert named.holding("The Joey") == []
    assert named.holding("Lee Ann") == named.holding("") == named.holding("Nobody") == []
