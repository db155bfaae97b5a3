"""The relations questions ask about: how to ask for them, and how to name what they lead to."""

from __future__ import annotations

from typing import NamedTuple

from .values import Entity


class Relation(NamedTuple):
    """One relation with its phrasings; `{}` is the subject."""

    label: str
    """Its name in a triple."""
    asks: tuple[str, ...]
    """Questions for its object."""
    phrases: tuple[str, ...] = ()
    """Descriptions of its object, to ask further questions about; none where the object has no page."""
    inverse: tuple[str, ...] = ()
    """Descriptions of the one subject that has this object; none where there may be several."""
    weight: int = 2
    """The weight with which a chain draws it."""


def _person(verb: str, role: str, *phrases: str, label: str = "", inverse: tuple[str, ...] = ()) -> Relation:
    asks = (f"Who {verb} {{}}?", f"Who is the {role} of {{}}?", f"Who was the {role} of {{}}?")
    return Relation(label or role, asks, (f"the {role} of {{}}", f"the person who {verb} {{}}", *phrases), inverse, 3)


def _year(label: str, *asks: str) -> Relation:
    return Relation(label, asks, weight=1)


RELATIONS: dict[str, Relation] = {
    # people
    "born": _year(
        "date of birth",
        "When was {} born?",
        "What is the date of birth of {}?",
        "On what date was {} born?",
        "{} was born when?",
    ),
    "died": _year("date of death", "When did {} die?", "What is the date of death of {}?", "On what date did {} die?"),
    "birthplace": Relation(
        "place of birth",
        (
            "Where was {} born?",
            "In which town was {} born?",
            "What is the place of birth of {}?",
            "{} was born in what town?",
        ),
        (
            "the birthplace of {}",
            "the town where {} was born",
            "the place of birth of {}",
            "the town in which {} was born",
        ),
        weight=5,
    ),
    "deathplace": Relation(
        "place of death",
        ("Where did {} die?", "In which town did {} die?", "What is the place of death of {}?"),
        ("the town where {} died", "the place of death of {}"),
    ),
    "nationality": Relation(
        "nationality",
        ("What is the nationality of {}?", "What nationality is given for {}?", "{} is of what nationality?"),
    ),
    "career": Relation("occupation", ("What is the occupation of {}?", "What is the profession of {}?"), weight=1),
    "father": Relation("father", ("Who is the father of {}?", "Who was the father of {}?"), ("the father of {}",)),
    "mother": Relation("mother", ("Who is the mother of {}?", "Who was the mother of {}?"), ("the mother of {}",)),
    "spouse": Relation(
        "spouse",
        ("Who is the spouse of {}?", "Who was {} married to?", "Whom did {} marry?"),
        ("the spouse of {}", "the person {} married"),
    ),
    "brother": Relation("brother", ("Who is the brother of {}?", "Who was the brother of {}?"), ("the brother of {}",)),
    "sister": Relation("sister", ("Who is the sister of {}?", "Who was the sister of {}?"), ("the sister of {}",)),
    "university": Relation(
        "educated at",
        ("Where did {} study?", "Which institution did {} study at?", "Where was {} educated?"),
        ("the institution where {} studied", "the place where {} was educated", "the alma mater of {}"),
    ),
    "award": Relation(
        "award received",
        ("Which prize did {} receive?", "What award was given to {}?", "What is the award that {} received?"),
        ("the prize that {} received", "the award given to {}"),
    ),
    "team": Relation(
        "member of sports team",
        ("Which team did {} play for?", "What team did {} play for?"),
        ("the team that {} played for", "the football club {} played for"),
    ),
    "field": Relation("field of work", ("What field did {} work in?", "What was the research of {} about?"), weight=1),
    "position": Relation("position played", ("What position did {} play?",), weight=1),
    # films
    "director": _person(
        "directed",
        "director",
        "the filmmaker behind {}",
        inverse=("the film directed by {}", "the film that {} directed"),
    ),
    "writer": Relation(
        "screenwriter",
        ("Who wrote the screenplay of {}?", "Who is the screenwriter of {}?"),
        ("the screenwriter of {}", "the author of the screenplay of {}"),
        ("the film written by {}", "the film whose script is by {}"),
    ),
    "star": Relation(
        "lead actor",
        ("Who played {role} in {}?", "Which actor plays {role} in {}?"),
        ("the actor who played {role} in {}", "the actor cast as {role} in {}"),
        ("the film starring {}", "the film in which {} plays the lead"),
    ),
    "composer": Relation(
        "composer",
        ("Who composed the music of {}?", "Who wrote the music for {}?"),
        ("the composer of {}", "the person who wrote the music for {}"),
        ("the film with music by {}", "the film whose score was written by {}"),
    ),
    "studio": Relation(
        "production company",
        ("Which company produced {}?", "What is the production company of {}?"),
        ("the company that produced {}", "the production company of {}"),
    ),
    "novel": Relation("based on", ("What novel is {} based on?",), ("the novel that {} is based on",)),
    "follows": Relation("follows", ("Which film does {} follow?",), ("the film to which {} is the sequel",)),
    # books
    "author": _person(
        "wrote", "author", "the writer of {}", inverse=("the book written by {}", "the book that {} wrote")
    ),
    "publisher": Relation(
        "publisher",
        ("Which company published {}?", "Who is the publisher of {}?"),
        ("the publisher of {}", "the company that published {}"),
    ),
    "setting": Relation(
        "narrative location",
        ("Where is {} set?", "In which town is {} set?"),
        ("the town in which {} is set", "the setting of {}"),
    ),
    # music
    "performer": Relation(
        "performer",
        ("Who performed {}?", "Who is the performer of {}?", "Who recorded {}?"),
        ("the performer of {}", "the artist who recorded {}"),
        weight=3,
    ),
    "album": Relation(
        "part of", ("Which album contains {}?",), ("the album that contains {}", "the album on which {} appears")
    ),
    "songwriter": _person("wrote", "songwriter", label="lyrics by", inverse=("the song written by {}",)),
    "producer": _person("produced", "producer", inverse=("the album produced by {}",)),
    "label": Relation(
        "record label",
        ("Which record label released {}?", "What record label is {} associated with?"),
        ("the record label of {}", "the label behind {}"),
    ),
    "recorded": Relation("recorded at", ("Where was {} recorded?",), ("the town where {} was recorded",)),
    "frontman": Relation(
        "lead singer",
        ("Who is the lead singer of {}?", "Who sings lead vocals for {}?"),
        ("the lead singer of {}", "the singer fronting {}"),
        ("the band fronted by {}", "the band whose lead singer is {}"),
        3,
    ),
    "hometown": Relation(
        "location of formation",
        ("Where was {} formed?", "In which town was {} formed?"),
        ("the town where {} was formed", "the home town of {}"),
        weight=3,
    ),
    "formed": _year("inception", "In what year was {} formed?", "When was {} formed?"),
    # works in general
    "genre": Relation("genre", ("What is the genre of {}?", "Which genre does {} belong to?"), weight=1),
    "released": _year("publication date", "In what year was {} released?", "When did {} come out?"),
    # places
    "country": Relation(
        "country",
        ("In which country is {}?", "What country is {} in?"),
        ("the country that {} belongs to", "the country of {}"),
    ),
    "province": Relation(
        "located in",
        ("In which province is {}?", "What province is {} part of?"),
        ("the province in which {} lies", "the province of {}"),
        weight=3,
    ),
    "river": Relation(
        "located on",
        ("On which river is {}?", "What river runs through {}?"),
        ("the river that runs through {}",),
        weight=3,
    ),
    "mayor": Relation(
        "first mayor",
        ("Who was the first mayor of {}?", "Who became the first mayor of {}?"),
        ("the first mayor of {}",),
        ("the town whose first mayor was {}", "the town that elected {} as its first mayor"),
        3,
    ),
    "twin": Relation(
        "twinned with", ("What is the twin town of {}?", "Which town is {} twinned with?"), ("the twin town of {}",)
    ),
    "population": _year("population", "What is the population of {}?", "How many people live in {}?"),
    "seat": Relation(
        "capital", ("What is the capital of {}?", "From which town is {} governed?"), ("the capital of {}",)
    ),
    "capital": Relation(
        "capital", ("What is the capital of {}?", "Which city is the capital of {}?"), ("the capital of {}",)
    ),
    "area": _year("area", "What is the area of {} in square kilometres?", "How many square kilometres does {} cover?"),
    "created": _year("inception", "In what year was {} created?", "When was {} formed?"),
    "mouth": Relation("mouth", ("Into what does {} flow?", "What body of water does {} flow into?")),
    "length": _year("length", "How long is {} in kilometres?", "What is the length of {} in km?"),
    "currency": Relation("currency", ("What is the currency of {}?", "Which currency is used in {}?")),
    "language": Relation(
        "official language", ("What is the official language of {}?", "Which language is official in {}?")
    ),
    "independence": _year("independence", "In what year did {} become independent?", "When did {} gain independence?"),
    "architect": Relation(
        "architect",
        ("Who designed {}?", "Who was the architect of {}?"),
        ("the architect of {}", "the person who designed {}"),
        ("the building designed by {}", "the building whose architect was {}"),
        3,
    ),
    "location": Relation(
        "location", ("In which town is {}?", "Where is {} located?"), ("the town where {} is located",), weight=3
    ),
    "opened": _year("date of opening", "In what year was {} opened?", "When did {} open?"),
    # organizations
    "founder": Relation(
        "founded by",
        ("Who founded {}?", "Who is the founder of {}?"),
        ("the founder of {}", "the person who founded {}"),
        ("the company founded by {}", "the company that {} founded"),
        3,
    ),
    "founded": _year("inception", "In what year was {} founded?", "When was {} founded?"),
    "headquarters": Relation(
        "headquarters location",
        ("Where are the headquarters of {}?", "Where is {} based?"),
        ("the town where {} is based", "the town that houses the headquarters of {}"),
        weight=3,
    ),
    "chair": Relation(
        "first chairperson",
        ("Who was the first chair of {}?",),
        ("the first chair of {}",),
        ("the company first chaired by {}",),
    ),
    "owner": Relation(
        "owned by",
        ("Which company owns {}?", "Who is the owner of {}?"),
        ("the company that owns {}", "the owner of {}"),
    ),
    "rector": Relation(
        "first rector",
        ("Who was the first rector of {}?",),
        ("the first rector of {}",),
        ("the university whose first rector was {}",),
    ),
    "students": _year("students count", "How many students does {} have?"),
    "presenter": Relation(
        "conferred by",
        ("Who presents {}?", "Which institution presents {}?"),
        ("the institution that presents {}", "the presenter of {}"),
    ),
    "patron": Relation(
        "named after",
        ("Who is {} named after?", "After whom is {} named?"),
        ("the namesake of {}",),
        ("the award named after {}",),
    ),
    "established": _year("inception", "In what year was {} established?", "When was {} established?"),
    "stadium": Relation(
        "home venue",
        ("Where does {} play home matches?", "What is the home ground of {}?"),
        ("the home ground of {}", "the stadium of {}"),
    ),
    "manager": Relation(
        "first manager",
        ("Who was the first manager of {}?",),
        ("the first manager of {}",),
        ("the football club first managed by {}",),
    ),
}


def triple(subject: Entity, relation: str, value: object) -> tuple[str, str, str]:
    """The fact as (subject, relation, object): titles for entities, the written form for anything else."""
    return subject.title, RELATIONS[relation].label, value.title if isinstance(value, Entity) else str(value)
