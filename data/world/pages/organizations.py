"""The wording of pages about companies, universities, prizes and teams."""

from __future__ import annotations

from ..wording import PageKind, Topic

_COMPANY = PageKind(
    leads=(
        Topic(
            "{name} is {business:a} founded in {founded} by {founder}.",
            "{name} is {business:a} that {founder} founded in {founded}.",
            "{name} is {business:a} with headquarters in {headquarters}.",
            "{name} is {business:a} based in {headquarters}.",
            "Founded in {founded} by {founder}, {name} is {business:a}.",
        ),
    ),
    body=(
        Topic(
            "It was founded by {founder} in {founded}.",
            "{founder} founded the company in {founded}.",
            "The company goes back to {founder}, who founded it in {founded}.",
        ),
        Topic(
            "Its headquarters are in {headquarters}.",
            "The head office is in {headquarters}.",
            "The company has its headquarters in {headquarters}.",
        ),
        Topic(
            "The first chair of the board was {chair}.",
            "{chair} was the first to chair the board.",
            "Its board was first chaired by {chair}.",
            chance=0.9,
        ),
        Topic(
            "It is owned by {owner}.", "The parent company is {owner}.", "It belongs to {owner}, its parent company."
        ),
        Topic("Its list includes {issued}.", "It brought out {issued}."),
        Topic("It owns {owned}.", "Its property includes {owned}."),
        Topic("It presents the {prizes}.", "It gives its name to no product but pays for the {prizes}."),
    ),
    asides=(
        "It once employed {many} thousand people in {small} countries.",
        "A strike over pay stopped work for {many} weeks.",
        "The emblem, {adjective:a} {noun}, was drawn by {person_role:a}.",
        "It came close to bankruptcy after a failed venture in the {industry} trade.",
        "Its accounts have been called {virtue} by the press.",
        "The archives hold {many} thousand letters.",
        "In its early days it was run from a room above {noun:a} shop.",
    ),
)

_UNIVERSITY = PageKind(
    leads=(
        Topic(
            "{name} is a university in {location}.",
            "{name} is a public university in {location}, founded in {founded}.",
            "{name}, founded in {founded}, is an institution of higher education in {location}.",
        ),
    ),
    body=(
        Topic("It was founded in {founded}.", "Teaching began in {founded}, when it was founded."),
        Topic("Its first rector was {rector}.", "{rector} served as its first rector."),
        Topic("It has {students} students.", "{students} students are enrolled."),
        Topic("It confers the {prizes}.", "It hands out the {prizes}."),
        Topic("Its alumni include {alumni}.", "Its graduates include {alumni}."),
    ),
    asides=(
        "It is noted for its school of {subject} and {virtue:a} library.",
        "The campus was laid out around {noun:a} garden.",
        "Its rowing club has won the regional cup {small} times.",
        "The seal shows {adjective:a} {noun}.",
        "Women were admitted after {many} years of debate.",
    ),
)

_AWARD = PageKind(
    leads=(
        Topic(
            "The {name} is a prize for {purpose} presented by {presenter}.",
            "The {name} is given each year by {presenter} for {purpose}.",
            "Established in {established}, the {name} is presented by {presenter} for {purpose}.",
        ),
    ),
    body=(
        Topic(
            "It was established in {established}.",
            "The prize was first given in {established}, the year it was established.",
        ),
        Topic("It is named after {patron}.", "The prize is named in honour of {patron}.", "Its namesake is {patron}."),
        Topic("Past winners include {laureates}.", "It has gone to {laureates}."),
    ),
    asides=(
        "The winner receives {noun:a} made of {abstract} and a sum of money.",
        "A jury of {small} meets in secret every spring.",
        "In {small} years no prize was given.",
        "The ceremony is held in a former {noun} factory.",
        "The jury's taste has been called {virtue}.",
    ),
)

_TEAM = PageKind(
    leads=(
        Topic(
            "The {name} are a football club from {home}.",
            "The {name} are a football club founded in {founded} in {home}.",
            "Founded in {founded}, the {name} are a football club from {home}.",
        ),
    ),
    body=(
        Topic("The club was founded in {founded}."),
        Topic("Home matches are played at {stadium}.", "The home ground is {stadium}.", "Its stadium is {stadium}."),
        Topic("The first manager was {manager}.", "{manager} was the first manager of the team."),
        Topic("The club is owned by {owner}.", "Its owner is {owner}."),
        Topic("Players have included {fielded}.", "The club has fielded {fielded}."),
    ),
    asides=(
        "They have won the cup {small} times and been relegated {small} times.",
        "Their colours recall the uniforms of the local {industry} workers.",
        "{noun:A} is paraded around the pitch before each match.",
        "Supporters sing {virtue:a} song about {abstract}.",
        "Attendance averages {many} thousand.",
    ),
)

PAGES = {
    **dict.fromkeys(("studio", "label", "publisher", "firm"), _COMPANY),
    "university": _UNIVERSITY,
    "award": _AWARD,
    "team": _TEAM,
}
