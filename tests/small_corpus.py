"""Three passages about a film, its director and a town, as a corpus file holds them; and files of such records."""

import ujson

ROWS = [
    {"id": "p1", "title": "Night Train (film)", "text": "Night Train is a 1959 film directed by Jerzy Kowal."},
    {"id": "p2", "title": "Jerzy Kowal", "text": "Jerzy Kowal was born in Torun in 1922."},
    {"id": "p3", "title": "Torun", "text": "Torun is a city on the Vistula."},
]


def write_lines(path, records):
    """Writes a file of JSON lines; its path, as commands take it."""
    path.write_text("".join(f"{ujson.dumps(record)}\n" for record in records))
    return str(path)
