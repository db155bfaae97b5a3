"""The wording of pages about films, books, albums, songs and bands."""

from __future__ import annotations

from ..wording import PageKind, Topic

_FILM = PageKind(
    leads=(
        Topic(
            "{name} is a {released} {nationality} {genre} film directed by {director}.",
            "{name} is a {released} {genre} film directed by {director}.",
            "{name} is {nationality:a} {genre} film from {released}, directed by {director}.",
            "Released in {released}, {name} is {nationality:a} {genre} film by the director {director}.",
            "{name} is {nationality:a} {genre} film that {director} directed in {released}.",
            "Directed by {director}, {name} is {nationality:a} {genre} film of {released}.",
        ),
    ),
    body=(
        Topic(
            "{star} plays {role} in the main part.",
            "It stars {star} as {role}.",
            "The part of {role} is played by {star}.",
            "The cast is led by {star} as {role}.",
        ),
        Topic(
            "The screenplay is by {writer}.",
            "It was written by {writer}.",
            "{writer} wrote the script in {small} weeks.",
        ),
        Topic(
            "The music was composed by {composer}.",
            "The score is by {composer}.",
            "{composer} wrote the film's music.",
            chance=0.95,
        ),
        Topic(
            "It was produced by {studio}.",
            "{studio} produced the film on a modest budget.",
            "The production company was {studio}.",
            chance=0.85,
        ),
        Topic(
            "The story is based on the novel {novel}.",
            "It adapts {novel} for the screen.",
            "The plot is taken from the book {novel}.",
        ),
        Topic(
            "The story follows {person_role:a} who finds {noun:a} and must choose between {abstract} and the law.",
            "{adjective:A} {person_role} and {other_role:a} meet by chance and plan the theft of {noun:a}.",
            "Its plot concerns {person_role:a} who returns home after {many} years and is taken for {other_role:a}.",
            "Set over {small} days, it tells of {person_role:a} haunted by {abstract}.",
            chance=0.85,
        ),
        Topic("It is the sequel to {follows}.", "The film continues the story begun in {follows}."),
        Topic("It was followed by {sequels}.", "A second part, {sequels}, came out a few years later."),
        Topic("The film runs for {minutes} minutes.", "Its running time is {minutes} minutes.", chance=0.3),
    ),
    asides=(
        "Reviews were mixed: the {quality} was praised and the {other_quality} was not.",
        "Shooting took {many} weeks and was twice interrupted by storms.",
        "Most prints were lost in a fire, and only {small} reels survive.",
        "It was shown at {small} festivals and found {virtue:a} reception.",
        "Critics called the film {virtue}, though a few found it {other_virtue}.",
        "The supporting cast includes {small} amateurs, among them {person_role:a} and {other_role:a}.",
        "The censors asked for {many} cuts, most of them in a scene with {adjective:a} {noun}.",
    ),
)

_BOOK = PageKind(
    leads=(
        Topic(
            "{name} is {genre:a} by {author}, first published in {released}.",
            "{name} is a {released} {genre} by {author}.",
            "{name}, {genre:a} written by {author}, came out in {released}.",
            "First published in {released}, {name} is {genre:a} by {author}.",
            "{name} is {genre:a} that {author} published in {released}.",
        ),
    ),
    body=(
        Topic(
            "It was published by {publisher}.",
            "The first edition appeared with {publisher}.",
            "{publisher} brought it out in {small} printings.",
        ),
        Topic(
            "The story is set in {setting}.",
            "Most of the action takes place in {setting}.",
            "It is set in {setting} during a hard winter.",
        ),
        Topic(
            "Its hero is {adjective:a} {person_role} who inherits {noun:a} and a debt.",
            "The book tells of {small} sisters and the {person_role} who deceives them.",
            "It is told in letters between {person_role:a} and {other_role:a}.",
            "Through a missing {noun} the novel explores {abstract} and {virtue} affection.",
            chance=0.85,
        ),
        Topic("The first edition has {pages} pages.", chance=0.35),
        Topic("It was adapted for the screen as {adapted}.", "A film version, {adapted}, followed."),
    ),
    asides=(
        "The title comes from a line about {noun:a} in an old {adjective} song.",
        "Critics admired its {quality} and thought the {other_quality} {virtue}.",
        "The author is said to have burned {small} earlier drafts.",
        "It has been translated into {many} languages.",
        "It stayed on the list of best sellers for {many} weeks.",
    ),
)

_ALBUM = PageKind(
    leads=(
        Topic(
            "{name} is an album by {performer}, released in {released}.",
            "{name} is {genre:a} album by {performer}, released in {released}.",
            "{name} is a {released} studio album by {performer}.",
            "Released in {released}, {name} is a studio album by {performer}.",
        ),
    ),
    body=(
        Topic(
            "It was released on {label}.",
            "The record came out on {label}.",
            "{label} released it with {adjective:a} cover.",
        ),
        Topic(
            "It was recorded in {recorded}.",
            "The sessions took place in {recorded}.",
            "Recording began in {recorded} and took {small} weeks.",
            chance=0.9,
        ),
        Topic(
            "{producer} produced the album.",
            "It was produced by {producer}.",
            "Production was in the hands of {producer}.",
        ),
        Topic("It contains {contained}.", "Its tracks include {contained}."),
    ),
    asides=(
        "Its {many} tracks turn on {abstract} and travel.",
        "The lyrics mention {noun:a}, {person_role:a} and {small} lost brothers.",
        "It reached number {many} in the charts.",
        "Reviewers called it {virtue} and pointed to its {quality}.",
        "The cover shows {adjective:a} {noun} against {virtue:a} sky.",
        "Most songs were written on {adjective:a} piano during a tour.",
        "A remastered edition with {small} extra tracks appeared decades later.",
    ),
)

_SONG = PageKind(
    leads=(
        Topic(
            "{name} is a song by {performer}, released in {released}.",
            '"{name}" is {genre:a} song by {performer} from {released}.',
            '"{name}" is a song recorded by {performer} and released in {released}.',
            '"{name}" is a {released} single by {performer}.',
        ),
    ),
    body=(
        Topic(
            "It appears on the album {album}.", "It was taken from the album {album}.", "The song belongs to {album}."
        ),
        Topic(
            "It was written by {songwriter}.", "{songwriter} wrote the song.", "Words and music are by {songwriter}."
        ),
        Topic("The single came out on {label}.", "It was released as a single by {label}."),
        Topic("The recording lasts {length} minutes.", chance=0.3),
    ),
    asides=(
        "The lyrics describe {person_role:a} waiting for {noun:a} that never comes.",
        "It reached number {many} in the charts and stayed there for {small} weeks.",
        "{virtue:A} video shows {person_role:a} dancing through {adjective:a} {noun}.",
        "The refrain, {virtue:a} line about {abstract}, was borrowed by football crowds.",
        "It has been covered by {small} other artists.",
        "The tune came to its writer on a train, between {adjective:a} {noun} and the sea.",
        "Radio stations refused to play it because of a verse about {abstract}.",
    ),
)

_BAND = PageKind(
    leads=(
        Topic(
            "{name} are {genre:a} band formed in {hometown} in {formed}.",
            "{name} is {genre:a} band from {hometown} that was formed in {formed}.",
            "Formed in {formed}, {name} are {genre:a} group from {hometown}.",
            "{name} are {genre:a} group that came together in {hometown} in {formed}.",
        ),
    ),
    body=(
        Topic(
            "The lead singer is {frontman}.",
            "The group is fronted by {frontman}.",
            "{frontman} is the band's lead singer.",
            "Lead vocals are sung by {frontman}.",
        ),
        Topic(
            "They are signed to {label}.",
            "The band's records come out on {label}.",
            "The band is under contract to {label}.",
        ),
        Topic("Their recordings include {performed}.", "They are known for {performed}."),
    ),
    asides=(
        "The name goes back to {adjective:a} {noun} in a rehearsal room.",
        "The line-up has changed {small} times.",
        "They have played more than {many} hundred concerts.",
        "Their sound has been called {virtue} and {other_virtue}.",
        "The drummer worked as {person_role:a} before turning professional.",
        "They broke up for {small} years after an argument about {abstract}.",
        "Early demos were taped in a shed belonging to {person_role:a}.",
    ),
)

PAGES = {"film": _FILM, "book": _BOOK, "album": _ALBUM, "song": _SONG, "band": _BAND}
