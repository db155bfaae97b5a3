"""Twelve pages of one small encyclopedia, from which an exam can be made by hand."""

from multihop import Passage

PAGES = [
    Passage(
        "night-train",
        "Night Train (film)",
        "Night Train is a 1959 Polish thriller film directed by Jerzy Kowal and starring Ewa Lis and Adam Bor.",
    ),
    Passage(
        "jerzy-kowal",
        "Jerzy Kowal",
        "Jerzy Kowal (2 March 1922 – 5 May 1999) was a Czech film director. He was born in Torun, Poland.",
    ),
    Passage("last-bus", "Last Bus", "Last Bus is a 1971 comedy film directed by Maria Wolf. It was shown in Berlin."),
    Passage("maria-wolf", "Maria Wolf", "Maria Wolf (born 9 June 1930) is an Austrian film director and painter."),
    Passage("ewa-lis", "Ewa Lis", "Ewa Lis (born 7 August 1931) was a Polish actress."),
    Passage("adam-bor", "Adam Bor", "Adam Bor is a Polish actor who lives in Gdansk."),
    Passage("red-album", "Red Album", 'Red Album is the second album by the band The Lanterns, recorded in Rome.'),
    Passage("the-lanterns", "The Lanterns", "The Lanterns are an English rock band formed in 1987 in Leeds."),
    Passage("grey-ships", "Grey Ships", "Grey Ships are an Irish rock band formed in 1994."),
    Passage("the-mill", "The Mill", "The Mill is a novel by Anna Berg. It tells of a miller's daughter."),
    Passage("anna-berg", "Anna Berg", "Anna Berg was a Danish novelist, born in Aarhus. The Mill was her first book."),
    Passage("aarhus", "Aarhus", "Aarhus is a city in Denmark."),
]  # fmt: skip
"""Chains lead from Night Train, Last Bus and Red Album; of The Mill the page of its author tells all."""
