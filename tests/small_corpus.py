"""Three passages about a film, its director and a town, as a corpus file holds them; others about rivers; and files."""

import ujson

from multihop.retrieval import Passage

ROWS = [
    {"id": "p1", "title": "Night Train (film)", "text": "Night Train is a 1959 film directed by Jerzy Kowal."},
    {"id": "p2", "title": "Jerzy Kowal", "text": "Jerzy Kowal was born in Torun in 1922."},
    {"id": "p3", "title": "Torun", "text": "Torun is a city on the Vistula."},
]
RIVERS = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "Po", "The Po is the longest river of Italy."),
    Passage("p3", "Inn", "The Inn, a river, joins the Danube at Passau."),
]
FAR_APART = [
    RIVERS[0],
    Passage("p2", "Etna", "Etna is an active volcano in Sicily."),
    Passage("p3", "Inn", "The Inn joins the Danube at Passau."),
    Passage("p4", "", "Bread is baked from flour."),
]
"""Passages with meanings that are far apart."""


def write_lines(path, records):
    """Writes a file of JSON lines; its path, as commands take it."""
    path.write_text("".join(f"{ujson.dumps(record)}\n" for record in records))
    return str(path)
