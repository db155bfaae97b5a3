"""The wording of pages about people."""

from __future__ import annotations

from ..wording import PageKind, Topic

_LEADS = (
    Topic(
        "{name} ({born} – {died}) was {nationality:a} {career}.",
        "{name} ({born} – {died}) was {nationality:a} {career} who remained active until late in life.",
        "{name} (born {born} in {birthplace}; died {died}) was {nationality:a} {career}.",
        "{name} ({born}, {birthplace} – {died}, {deathplace}) was {nationality:a} {career}.",
        "Born on {born}, {name} was {nationality:a} {career} and died on {died}.",
        "{name} was {nationality:a} {career} who was born on {born} and died on {died}.",
    ),
    Topic(
        "{name} (born {born}) is {nationality:a} {career}.",
        "{name} (born {born} in {birthplace}) is {nationality:a} {career}.",
        "{name}, born {born}, is {nationality:a} {career}.",
        "{name} (born {born}) is {nationality:a} {career} and occasional lecturer.",
        "{name} is {nationality:a} {career}, born on {born} in {birthplace}.",
    ),
)

_LIFE = (
    Topic(
        "{He} was born in {birthplace}.",
        "A native of {birthplace}, {he} left home at an early age.",
        "{surname} was born and raised in {birthplace}.",
        "{He} was born in {birthplace}, where the family kept a small shop.",
        "{surname}'s birthplace was {birthplace}, a town {he} often returned to.",
    ),
    Topic(
        "{He} died in {deathplace}.",
        "{surname} spent {his} last years in {deathplace} and died there.",
        "{His} death in {deathplace} followed a short illness.",
        chance=0.75,
    ),
    Topic(
        "{He} was the {child} of {father} and {mother}.",
        "{His} parents were {father} and {mother}.",
        "{surname} was born to {father} and his wife {mother}.",
        "{His} father was {father}; {his} mother, {mother}, brought up the children.",
    ),
    Topic(
        "{He} married {spouse}.",
        "{His} spouse was {spouse}.",
        "{surname} was married to {spouse}.",
        "{He} and {spouse} were married for many years.",
        chance=0.85,
    ),
    Topic(
        "{His} only brother is {brother}.",
        "{surname} grew up with one brother, {brother}.",
        "{His} only sister is {sister}.",
        "{surname} grew up with one sister, {sister}.",
        chance=0.9,
    ),
    Topic(
        "{He} studied at {university}.",
        "{surname} was educated at {university}.",
        "{He} graduated from {university} with a degree in {subject}.",
        "After school {he} enrolled at {university}.",
        chance=0.9,
    ),
    Topic(
        "{He} received the {award} for {his} work.",
        "{surname} was honoured with the {award}.",
        "{His} achievements earned {him} the {award}.",
        "In later years {he} was awarded the {award}.",
        chance=0.9,
    ),
    Topic(
        "{He} played as {position:a} for the {team}.",
        "{surname} spent {his} career with the {team}, usually as {position:a}.",
        "{position:A}, {he} made {small} hundred appearances for the {team}.",
        "{He} played for the {team}.",
    ),
    Topic(
        "{His} research dealt with {field}.",
        "{He} published widely on {field}.",
        "{surname} was an authority on {field}.",
    ),
)

_ECHOES = (
    Topic(
        "{He} directed {directed}.",
        "{He} is best known for directing {directed}.",
        "{His} work behind the camera includes {directed}.",
        "{surname} made {directed}.",
    ),
    Topic("{He} wrote the script of {scripted}.", "{His} screenplays include that of {scripted}."),
    Topic(
        "{He} is remembered for {his} part in {starred}.",
        "{He} had a leading part in {starred}.",
        "Audiences knew {him} from {starred}.",
    ),
    Topic("{He} wrote the music for {composed}.", "{surname} composed the score of {composed}."),
    Topic("{He} wrote {authored}.", "{His} books include {authored}.", "{surname} is the author of {authored}."),
    Topic(
        "{He} recorded {performed}.", "{His} recordings include {performed}.", "{He} had a modest hit with {performed}."
    ),
    Topic("{He} wrote {penned} for other artists.", "As a songwriter {he} is credited with {penned}."),
    Topic("{He} produced {produced}.", "{surname} sat at the mixing desk for {produced}."),
    Topic("{He} sings with {fronts}.", "{He} is the voice of {fronts}."),
    Topic(
        "{He} was the founder of {established}.",
        "{surname} started {established} with borrowed money.",
        "{He} set up {established}.",
    ),
    Topic("{He} joined the board of {chaired}.", "{surname} took the chair at {chaired}."),
    Topic(
        "{He} designed {designed}.", "{His} buildings include {designed}.", "{surname} drew the plans for {designed}."
    ),
    Topic("{He} has worked as a coach with {coached}.", "{surname} took over {coached} after a poor season."),
    Topic("{He} was elected mayor of {governed}.", "{surname} entered local politics and governed {governed}."),
    Topic("{He} headed {headed}.", "{surname} was called to {headed} as its head."),
    Topic("The {patronized} bears {his} name.", "The {patronized} was created in {his} memory."),
    Topic("{He} was the {parent} of {children}.", "{His} children included {children}.", chance=0.6),
)

_GENERAL = (
    "{He} kept a diary for {many} years, parts of which were later printed in {adjective:a} edition.",
    "{surname} was known among friends for {virtue} letters and a fondness for the {noun}.",
    "Colleagues described {him} as {virtue}, if sometimes {other_virtue}.",
    "{He} spoke {small} languages and travelled widely in {his} thirties.",
    "{virtue:A} portrait of {surname} hangs in the town hall.",
    "{His} papers, {many} boxes in all, are kept in a private archive.",
    "{surname} turned down {small} offers to work abroad.",
    "Outside {his} profession {he} collected every {noun} {he} could find.",
    "Little is known about {his} childhood apart from a short memoir on {abstract}.",
    "A street and a school have been named after {surname}.",
)

_BY_CAREER = {
    "film director": (
        "{His} style is often called {virtue}, with long takes and little music.",
        "{He} began as a camera assistant and made {small} short films about {abstract}.",
        "Critics praised the {quality} of {his} films and found fault with their {other_quality}.",
    ),
    "screenwriter": (
        "{He} worked for radio for {small} years before turning to the screen.",
        "{His} scripts are admired for their {quality}.",
    ),
    "actor": (
        "{He} trained on the stage and was often cast as {person_role:a} or {other_role:a}.",
        "{His} breakthrough came with the part of {adjective:a} {person_role}.",
        "Reviewers singled out {his} {virtue} delivery.",
    ),
    "novelist": (
        "{His} prose has been described as {virtue} and {other_virtue}.",
        "{He} worked as {person_role:a} before the first manuscript was accepted.",
        "Many of {his} stories turn on {abstract} and the life of {person_role:a}.",
    ),
    "singer": (
        "{His} voice was called {virtue} by the music press.",
        "{He} sang in a choir as a child and bought a first guitar at the age of {small}.",
        "{surname} toured {small} continents and cancelled {his} farewell concert.",
    ),
    "composer": (
        "{He} learned the organ from {person_role:a} and gave a first recital at the age of {small}.",
        "{His} {small} string quartets are seldom played today.",
    ),
    "politician": (
        "{He} campaigned for better schools and {virtue:a} budget.",
        "Before entering politics {he} worked as {person_role:a}.",
        "{surname} lost {small} elections before winning one.",
    ),
    "scientist": (
        "{His} laboratory trained {many} doctoral students.",
        "{He} wrote {virtue:a} textbook that went through {small} editions.",
        "An early paper on the {noun} was rejected {small} times.",
    ),
    "footballer": (
        "{He} scored {many} goals in all competitions before a knee injury.",
        "{surname} was capped {small} times by the national side.",
        "Commentators praised {his} {virtue} passing.",
    ),
    "football manager": (
        "{His} teams were known for {virtue} defending.",
        "{He} retired as a player after {small} seasons and took a coaching course.",
    ),
    "architect": (
        "{His} drawings, {virtue} and precise, were shown in {small} exhibitions.",
        "{He} favoured brick and {abstract} over concrete.",
    ),
    "entrepreneur": (
        "{He} made a first fortune in the {industry} business before the age of forty.",
        "{surname} gave a part of {his} wealth to {small} orphanages.",
    ),
    "record producer": ("{He} built a studio in a disused {noun} factory.",),
    "historian": ("{His} best-known study follows one family of {industry} workers over {small} generations.",),
    "painter": ("{His} canvases return again and again to the {noun} and the {adjective} light of the coast.",),
    "lawyer": ("{He} defended {many} strikers in a celebrated trial.",),
}

PAGES = {career: PageKind(_LEADS, (*_LIFE, *_ECHOES), (*asides, *_GENERAL)) for career, asides in _BY_CAREER.items()}
