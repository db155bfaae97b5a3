"""The wording of pages about countries, provinces, rivers, towns and buildings."""

from __future__ import annotations

from ..wording import PageKind, Topic

_COUNTRY = PageKind(
    leads=(
        Topic(
            "{name} is a country whose capital is {capital}.",
            "{name} is a sovereign state; its capital and largest city is {capital}.",
            "{name}, with the capital {capital}, is a country of {population} people.",
        ),
    ),
    body=(
        Topic("The official language is {language}.", "{language} is the official language of {name}."),
        Topic(
            "The currency is the {currency}.",
            "Payments are made in the {currency}.",
            "Its currency is called the {currency}.",
        ),
        Topic("It became independent in {independence}.", "{name} gained its independence in {independence}."),
        Topic("It has a population of {population}."),
    ),
    asides=(
        "Its people are called by a name found on maps since the age of {adjective} {noun} trade.",
        "The flag shows {adjective:a} {noun} on a field of {abstract}.",
        "Exports include {industry} goods and products of {other_virtue} {industry} firms.",
        "The parliament has {many} committees and meets in a former {noun} exchange.",
        "The highest mountains lie in the north, the best harbours in the south.",
    ),
)

_CAPITAL = PageKind(
    leads=(
        Topic(
            "{name} is the capital and largest city of {country}.",
            "{name} is the capital of {country} and the seat of its government.",
        ),
    ),
    body=(
        Topic("The city was founded in {founded}.", "The oldest document to name the city is dated {founded}."),
        Topic("It has {population} inhabitants.", "Its population is {population}."),
    ),
    asides=(
        "Its old town, with {many} churches, was rebuilt after a fire.",
        "The underground railway has {small} lines.",
        "{adjective:A} {noun} of bronze stands in the main square.",
        "The port handles {industry} goods, and {industry} is the main employer.",
    ),
)

_PROVINCE = PageKind(
    leads=(
        Topic(
            "{name} is a province of {country}.",
            "{name} is one of the provinces of {country}.",
            "{name} is a province in the west of {country}.",
        ),
    ),
    body=(
        Topic("Its capital is {seat}.", "The provincial capital is {seat}.", "The province is governed from {seat}."),
        Topic("It covers {area} square kilometres.", "The province has an area of {area} square kilometres."),
        Topic(
            "It was created in {created}.",
            "The province was formed in {created} out of {small} older districts.",
            chance=0.9,
        ),
    ),
    asides=(
        "Farming and the {industry} trade feed most families.",
        "The landscape is {virtue:a} mixture of woods, lakes and {adjective} hills.",
        "Its arms show {noun:a} and {adjective:a} {noun}.",
        "A narrow-gauge railway with {many} stations crosses the province.",
        "The local dialect has {many} words for snow.",
    ),
)

_RIVER = PageKind(
    leads=(
        Topic(
            "The {name} is a river in {province}.",
            "The {name} is a river of {length} km that rises in {province}.",
            "The {name} rises in the hills of {province}.",
        ),
    ),
    body=(
        Topic("It is {length} km long.", "Its length is {length} km."),
        Topic("It flows into {mouth}.", "The river empties into {mouth}.", "Its waters reach {mouth}."),
        Topic("Its waters pass {riverside}.", "It passes {riverside}."),
    ),
    asides=(
        "Its {small} dams were built to supply the {industry} trade.",
        "Floods are common in spring, when the water carries {abstract} and timber.",
        "Anglers value the river for trout.",
        "{adjective:A} {noun} on the left bank marks the old ford.",
        "The upper course runs through {virtue:a} gorge.",
    ),
)

_CITY = PageKind(
    leads=(
        Topic(
            "{name} is a town in {province}, {country}.",
            "{name} is a town in the province of {province} in {country}.",
            "{name} is a city in {province}, a province of {country}.",
            "{name} is a city of {population} inhabitants in {province}, {country}.",
            "Located in {province}, {country}, {name} is a town of {population} people.",
        ),
    ),
    body=(
        Topic(
            "It lies on the {river}.",
            "The town stands on the banks of the {river}.",
            "The {river} runs through the town.",
            chance=0.9,
        ),
        Topic(
            "It has {population} inhabitants.",
            "The population is {population}.",
            "Its population was last given as {population}.",
        ),
        Topic(
            "Its first mayor was {mayor}.",
            "In {elected}, {mayor} was elected as its first mayor.",
            "{mayor} became the first mayor of the town in {elected}.",
            "The first mayor, {mayor}, took office in {elected}.",
        ),
        Topic(
            "Its twin town is {twin}.",
            "It is twinned with {twin}.",
            "The town has a partnership with {twin}, its only twin town.",
        ),
        Topic(
            "The town was founded in {founded}.",
            "The settlement goes back to {founded}, when it was founded.",
            chance=0.5,
        ),
        Topic("People born in the town include {natives}.", "The town is the birthplace of {natives}."),
        Topic("Companies in the town include {housed}.", "It is home to {housed}.", chance=0.8),
        Topic("Its sights include {sights}.", "Visitors come to the town for {sights}.", chance=0.8),
        Topic("Novels set in the town include {settings}.", "The town is the scene of {settings}.", chance=0.8),
        Topic("Albums recorded here include {recordings}.", chance=0.8),
    ),
    asides=(
        "Its {industry} works once employed half of the townspeople.",
        "The market square is ringed by {many} houses in {virtue:a} style.",
        "A festival held each autumn celebrates the {noun}.",
        "The railway came late and closed after {many} years.",
        "The parish church, with its {adjective} tower, dates from the Middle Ages.",
        "In the museum {adjective:a} {noun} is on show.",
        "The town is served by {small} bus lines and a small airfield.",
        "Its arms show {noun:a} above {small} waves.",
    ),
)

_LANDMARK = PageKind(
    leads=(
        Topic(
            "{name} is {sort:a} in {location}.",
            "{name} is {sort:a} in {location}, opened in {opened}.",
            "{name} is {sort:a} that was opened in {opened} in {location}.",
            "Opened in {opened}, {name} is {sort:a} in {location}.",
        ),
    ),
    body=(
        Topic("It was designed by {architect}.", "The architect was {architect}.", "{architect} drew up the plans."),
        Topic(
            "It was opened in {opened}.",
            "Its doors opened in {opened}.",
            "Work was finished and the {sort} opened in {opened}.",
        ),
        Topic("It is the home ground of the {hosted}.", "The {hosted} play their home matches here."),
    ),
    asides=(
        "The building cost {small} times as much as planned.",
        "Its roof rests on {many} pillars of {adjective} stone.",
        "{noun:A} carved above the entrance recalls the donor, a rich {person_role}.",
        "It was closed for {small} years after a fire and has been restored twice.",
        "Visitors find the interior {virtue} and the exterior {other_virtue}.",
        "Protests by {many} neighbours delayed the works.",
    ),
)

PAGES = {
    "country": _COUNTRY,
    "capital": _CAPITAL,
    "province": _PROVINCE,
    "river": _RIVER,
    "city": _CITY,
    "landmark": _LANDMARK,
}
