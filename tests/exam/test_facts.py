import pytest

from multihop import Passage
from multihop.exam.facts import read_facts
from multihop.exam.subjects import read_subject


def facts(title, text):
    return {fact.relation.name: fact.value for fact in read_facts(read_subject(Passage("p", title, text)))}


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("X is a 2009 film written and directed by American artist Vicki Abeles.", "director", "Vicki Abeles"),
        ("X is a film. It was written by Jack Burditt and directed by Al.", "writer", "Jack Burditt"),
        ("X is a film based on the novella by Truman Capote; it is long.", "source", "Truman Capote"),
        ('X is a song by rock band Eels, from their second album, "Full Circle".', "performer", "Eels"),
        ('X is a song by rock band Eels, from their second album, "Full Circle".', "album", "Full Circle"),
        ("X is an album. It was released on November 27, 2007 by Epic Records.", "label", "Epic Records"),
        ("X is an album. It was released on November 27, 2007 by Epic Records.", "release", "November 27, 2007"),
        ("X (born Al Roe; May 5, 1915 – June 9, 1998) was an American actor.", "birth date", "May 5, 1915"),
        ("X (born Al Roe; May 5, 1915 – June 9, 1998) was an American actor.", "death date", "June 9, 1998"),
        ("X (born Al Roe; May 5, 1915 – June 9, 1998) was an American actor.", "birth name", "Al Roe"),
        ("X (born 1940 in Takasaki, Gunma, Japan) is a singer.", "birthplace", "Takasaki, Gunma, Japan"),
        ("X (born 1940 in Takasaki, Gunma, Japan) is a singer.", "birth year", "1940"),
        ("X is an actor. He is married to actress Ewa Lis.", "spouse", "Ewa Lis"),
        ("X is a Dutch poker player. He is the brother of poker player Annie Duke.", "relative", "Annie Duke"),
        ("X is a singer, best known as the lead singer of Matchbox 20.", "band", "Matchbox 20"),
        ("X is a band formed in Seattle in 1994.", "formation", "1994"),
        ("X is a company founded in 2003 by John Clifford.", "founding", "2003"),
        ("X is a magazine founded by J. I. Rodale and read a lot.", "founder", "J. I. Rodale"),
        ("X is a company headquartered in Midland, Michigan, USA.", "base", "Midland, Michigan, USA"),
        ("X is a school located in Murray, Kentucky.", "location", "Murray, Kentucky"),
        ("X is a town. It has a population of 93,000 living in 5 villages.", "population", "93,000"),
        ("X is a genus of trees. The genus was named in honour of Robert FitzRoy.", "namesake", "Robert FitzRoy"),
        ("X is a 1951 novel.", "year", "1951"),
        ("X is a Greek-American director.", "nationality", "Greek-American"),
    ],
)  # fmt: skip
def test_a_fact_is_read(text, relation, value):
    assert facts("X", text)[relation] == value


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("X is a film directed by Vicki Abeles and Jessica Congdon.", "director"),
        ("X is a film directed by Vicki Abeles, Al Roe, and others.", "director"),
        ("X is a film. It was directed by Al Roe. It was directed by Bo Lee.", "director"),
        ("X is a film co-written by Al Roe.", "writer"),
        ("X is a film which was later directed by Al Roe.", "director"),
        ('X is a song. It contains samples of "Levee" written by Al Roe.', "writer"),
        ("X is a show. It was created by David Croft, who also wrote the music, and Jeremy Lloyd.", "creator"),
        ("X is a film adapted from a play that was in turn based on the novel by Al Roe.", "source"),
        ("X is a university. It was established on 27 Rajab 1364 by many.", "founding"),
        ("X is a company based in the Chicago suburbs.", "base"),
        ("X is an association. It is a division of Young Artist nominees.", "parent"),
        ("X is an actor. Al Roe was born in Rome.", "birthplace"),
        ("X is an Australian-born writer.", "nationality"),
    ],
)
def test_what_is_another_s_or_one_of_several_is_not(text, relation):
    assert relation not in facts("X", text)


def test_a_part_that_is_over():
    text = "X is a singer. He was a lead vocalist of the band Boøwy."
    [band] = [fact for fact in read_facts(read_subject(Passage("p", "X", text))) if fact.relation.name == "band"]
    assert (band.value, band.role, band.sentence, band.is_over) == ("Boøwy", "lead vocalist", 1, True)
