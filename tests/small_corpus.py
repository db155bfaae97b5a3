"""Three passages about a film, its director and a town, as a corpus file holds them."""

ROWS = [
    {"id": "p1", "title": "Night Train (film)", "text": "Night Train is a 1959 film directed by Jerzy Kowal."},
    {"id": "p2", "title": "Jerzy Kowal", "text": "Jerzy Kowal was born in Torun in 1922."},
    {"id": "p3", "title": "Torun", "text": "Torun is a city on the Vistula."},
]
