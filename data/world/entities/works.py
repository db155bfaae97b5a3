"""The works of a region: books, films, albums and songs by its people, with sequels, remakes and shared titles."""

from __future__ import annotations

from typing import Any

from .. import words
from ..values import Entity
from .draft import TODAY, Draft
from .people import alive, careers, contemporary, year_of_work

BOOKS = 68
ALBUMS = 50
SONGS = 66
SEQUELS = ("Returns", "Reborn", "Revisited")
SHARED = 0.06
"""The share of works that carry another work's name."""


def add_works(draft: Draft, size: int) -> None:
    """Add the books, albums and songs, and films until the region has `size` entities."""
    for _ in range(BOOKS):
        _book(draft)
    for _ in range(ALBUMS):
        _album(draft)
    for _ in range(SONGS):
        _song(draft)
    for number in range(size - len(draft.entities)):
        _film(draft, sequel=number % 12 == 11)


def _add(draft: Draft, kind: str, **facts: Any) -> Entity:
    if draft.dice.chance(SHARED):
        for elder in draft.dice.some(_lone_works(draft, kind), 1):
            year, elder_year = facts["released"], elder.facts["released"]
            if kind != elder.kind:
                elder.title, title = f"{elder.name} ({_noun(elder.kind)})", f"{elder.name} ({_noun(kind)})"
                return draft.add(kind, elder.name, title, **facts)
            if year != elder_year:
                elder.title, title = (f"{elder.name} ({when} {_noun(elder.kind)})" for when in (elder_year, year))
                return draft.add(kind, elder.name, title, **facts)
    return draft.add(kind, draft.names.work(), **facts)


def _older(draft: Draft, kind: str, year: int) -> Entity:
    """A company of this kind that existed in that year, or the oldest there is."""
    companies = draft.of(kind)
    existing = [company for company in companies if company.facts["founded"] <= year]
    return draft.dice.pick(existing) if existing else min(companies, key=lambda company: int(company.facts["founded"]))


def _noun(kind: str) -> str:
    """The word for this kind of work in a title's brackets."""
    return "novel" if kind == "book" else kind


def _lone_works(draft: Draft, kind: str) -> list[Entity]:
    rivals = {"film": ("film", "book"), "book": (), "album": ("book",), "song": ("album", "song")}[kind]
    return [
        work for rival in rivals for work in draft.of(rival) if not work.has_namesake and "follows" not in work.facts
    ]


def _book(draft: Draft) -> None:
    dice = draft.dice
    author = dice.pick(careers(draft, "novelist"))
    year = year_of_work(draft, author)
    _add(
        draft,
        "book",
        author=author,
        released=year,
        publisher=_older(draft, "publisher", year),
        genre=draft.word(words.BOOK_GENRES),
        setting=dice.pick(draft.of("city")),
        pages=dice.between(110, 780),
    )


def _performer(draft: Draft) -> tuple[Entity, int]:
    dice = draft.dice
    if dice.chance(0.55):
        band = dice.pick(draft.of("band"))
        return band, min(band.facts["formed"] + dice.between(1, 18), TODAY - 1)
    singer = dice.pick([person for person in careers(draft, "singer") if person.facts["born"].year > 1915])
    return singer, max(year_of_work(draft, singer), 1936)


def _album(draft: Draft) -> None:
    dice = draft.dice
    performer, year = _performer(draft)
    producer = contemporary(draft, careers(draft, "record producer", "composer"), year)
    facts = {"producer": producer} if producer else {}
    _add(
        draft,
        "album",
        performer=performer,
        released=year,
        label=_older(draft, "label", year),
        recorded=dice.pick(draft.of("city")),
        genre=draft.word(words.MUSIC_GENRES),
        **facts,
    )


def _song(draft: Draft) -> None:
    dice = draft.dice
    facts: dict[str, Any] = {}
    if dice.chance(0.6):
        album = dice.pick(draft.of("album"))
        performer, year = album.facts["performer"], album.facts["released"]
        facts["album"] = album
    else:
        performer, year = _performer(draft)
        facts["label"] = _older(draft, "label", year)
    writer = contemporary(draft, careers(draft, "composer", "singer"), year)
    if writer and writer is not performer:
        facts["songwriter"] = writer
    song = _add(draft, "song", performer=performer, released=year, genre=draft.word(words.MUSIC_GENRES), **facts)
    song.facts.setdefault("length", f"{dice.between(2, 6)}:{dice.between(10, 59)}")


def _film(draft: Draft, *, sequel: bool) -> None:
    dice = draft.dice
    follows = dice.some([film for film in draft.of("film") if _may_continue(film)], 1) if sequel else []
    if follows:
        director = follows[0].facts["director"] if dice.chance(0.4) else dice.pick(careers(draft, "film director"))
        year = max(min(follows[0].facts["released"] + dice.between(2, 6), TODAY), 1921)
        if not alive(director, year):
            director = contemporary(draft, careers(draft, "film director"), year) or director
    else:
        director = dice.pick(careers(draft, "film director"))
        year = max(year_of_work(draft, director), 1912)
    facts = _crew(draft, director, year)
    if follows:
        name = f"{follows[0].name} {dice.pick(SEQUELS)}"
        draft.add("film", name, follows=follows[0], **facts)
        follows[0].facts["continued"] = True
    else:
        _add(draft, "film", **facts)


def _may_continue(film: Entity) -> bool:
    return not film.has_namesake and "follows" not in film.facts and "continued" not in film.facts


def _crew(draft: Draft, director: Entity, year: int) -> dict[str, Any]:
    dice = draft.dice
    studio = _older(draft, "studio", year)
    facts: dict[str, Any] = {
        "director": director,
        "released": year,
        "nationality": studio.facts["headquarters"].facts["country"].facts["demonym"],
        "genre": draft.word(words.FILM_GENRES),
        "studio": studio,
        "minutes": dice.between(71, 168),
    }
    crew = {"star": ("actor", 0.8), "writer": ("screenwriter", 0.35), "composer": ("composer", 0.6)}
    for relation, (career, chance) in crew.items():
        person = contemporary(draft, careers(draft, career), year) if dice.chance(chance) else None
        if person:
            facts[relation] = person
    if "star" in facts:
        first = dice.pick(dice.pick(draft.of("person")).name.split(" ")[:1])
        facts["role"] = f"{dice.pick(words.RANKS)} {first}"
    novel = dice.pick(draft.of("book"))
    if novel.facts["released"] < year - 1 and not novel.has_namesake and dice.chance(0.5):
        facts["novel"] = novel
    return facts
