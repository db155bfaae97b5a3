"""The organizations of a region, founded by its people: companies, universities, prizes, teams, bands, buildings."""

from __future__ import annotations

from .. import words
from ..values import Entity, Quantity, Word
from .draft import TODAY, Draft
from .people import alive, careers, contemporary, year_of_work

COMPANIES = {
    "studio": (12, ("Pictures", "Films", "Studios"), "film production company"),
    "label": (12, ("Records", "Music", "Recordings"), "record label"),
    "publisher": (10, ("Press", "Publishing", "Books"), "publishing house"),
    "firm": (20, ("Company", "Works", "Industries", "Brothers"), ""),
}
"""For each kind of company: the number of them, the endings of their names, and the words for the kind."""


def add_organizations(draft: Draft) -> None:
    """Add the organizations, and say who studied where, who governs which town, who plays for which team."""
    _companies(draft)
    _universities(draft)
    _awards(draft)
    _landmarks(draft)
    _teams(draft)
    _bands(draft)
    _careers(draft)


def _companies(draft: Draft) -> None:
    dice = draft.dice
    founders = dice.mix(careers(draft, "entrepreneur", "lawyer", "historian"))
    leaders = careers(draft, "entrepreneur", "lawyer", "politician", "record producer")
    for kind, (count, suffixes, business) in COMPANIES.items():
        for _ in range(count):
            founder = founders.pop() if founders else dice.pick(careers(draft, "politician"))
            year = year_of_work(draft, founder)
            chair = contemporary(draft, leaders, year + 3)
            company = draft.add(
                kind,
                draft.names.company(suffixes),
                business=Word(business or f"{dice.pick(words.INDUSTRIES)} company"),
                founder=founder,
                founded=year,
                headquarters=dice.pick(draft.of("city")),
            )
            if chair and chair is not founder:
                company.facts["chair"] = chair
        for company in draft.of(kind)[::4]:
            owners = [other for other in draft.of("firm") if other is not company] or draft.of("studio")
            company.facts["owner"] = dice.pick(owners)


def _universities(draft: Draft) -> None:
    dice = draft.dice
    scholars = dice.mix(careers(draft, "scientist", "historian"))
    for number in range(14):
        town = dice.pick(draft.of("city"))
        name = f"{draft.names.place()} {('University', 'College', 'Institute of Technology')[number % 3]}"
        university = draft.add(
            "university",
            name,
            location=town,
            founded=dice.between(1690, 1965),
            students=Quantity(dice.between(1_500, 42_000)),
        )
        if number < len(scholars):
            university.facts.update(rector=scholars[number], founded=year_of_work(draft, scholars[number]))


def _awards(draft: Draft) -> None:
    dice = draft.dice
    patrons = dice.mix([person for person in draft.of("person") if person.facts["born"].year < 1920])
    for number in range(14):
        presenter = dice.pick(draft.of("university") + draft.of("publisher") + draft.of("firm"))
        award = draft.add(
            "award",
            draft.names.award(),
            presenter=presenter,
            established=dice.between(max(1925, presenter.facts["founded"]), 1990),
            purpose=draft.word(("storytelling", "public service", "research", "the arts", "young talent", "design")),
        )
        if number < len(patrons):
            award.facts["patron"] = patrons[number]


def _landmarks(draft: Draft) -> None:
    dice = draft.dice
    architects = careers(draft, "architect")
    for number in range(30):
        sort = "stadium" if number < 14 else words.LANDMARKS[number % len(words.LANDMARKS)]
        name = draft.names.place()
        suffix = {"stadium": dice.pick(("Stadium", "Park", "Arena")), "concert hall": "Hall"}.get(
            sort, sort.capitalize()
        )
        architect = dice.pick(architects or draft.of("person"))
        draft.add(
            "landmark",
            f"{name} {suffix}",
            sort=Word(sort),
            architect=architect,
            location=dice.pick(draft.of("city")),
            opened=year_of_work(draft, architect),
        )


def _teams(draft: Draft) -> None:
    dice = draft.dice
    managers = dice.mix(careers(draft, "football manager"))
    for number, town in enumerate(dice.some([town for town in draft.of("city") if "," not in town.name], 14)):
        team = draft.add(
            "team",
            f"{town.name} {dice.pick(words.MASCOTS)}",
            home=town,
            stadium=draft.of("landmark")[number],
            founded=dice.between(1880, 1975),
            owner=dice.pick(draft.of("firm")),
        )
        if number < len(managers):
            team.facts.update(manager=managers[number], founded=year_of_work(draft, managers[number]))


def _bands(draft: Draft) -> None:
    dice = draft.dice
    modern = [person for person in careers(draft, "singer") if person.facts["born"].year > 1935]
    for leader in dice.some(modern, 36):
        year = leader.facts["born"].year + dice.between(18, 30)
        draft.add(
            "band",
            draft.names.band(),
            frontman=leader,
            hometown=leader.facts["birthplace"] if dice.chance(0.3) else dice.pick(draft.of("city")),
            formed=min(year, TODAY - 3),
            genre=draft.word(words.MUSIC_GENRES),
            label=dice.pick(draft.of("label")),
        )


def _careers(draft: Draft) -> None:
    dice = draft.dice
    for person in draft.of("person"):
        year = person.facts["born"].year + 19
        school, award = dice.pick(draft.of("university")), dice.pick(draft.of("award"))
        if school.facts["founded"] < year and dice.chance(0.6):
            person.facts["university"] = school
        if alive(person, award.facts["established"] + 5) and award.facts.get("patron") is not person:
            person.facts["award"] = award
        if person.facts["career"] == "footballer":
            teams = [team for team in draft.of("team") if team.facts["founded"] < year]
            if teams:
                person.facts["team"] = dice.pick(teams)
    _mayors(draft, dice.mix(careers(draft, "politician", "lawyer")))


def _mayors(draft: Draft, politicians: list[Entity]) -> None:
    for town, mayor in zip(draft.dice.mix(draft.of("city")), politicians, strict=False):
        town.facts["mayor"] = mayor
        town.facts["elected"] = year_of_work(draft, mayor)
