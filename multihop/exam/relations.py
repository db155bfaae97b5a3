"""The relations that are read out of sentences: the words that state each, and the words that ask for it."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..data.gold.attributes import DATE
from .subjects import GROUPS, HEADS

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĹĽŁŃŇŌŐŒŘŚŞŠŢŤŪŮŰŹŻŽ"
_WORD = rf"[{_UPPER}][\w'’&/-]*(?:\.(?=[{_UPPER}]|,? [{_UPPER}a-z])[\w.]*)?"
NAME = (
    rf'(?:"[^"]{{2,60}}"|{_WORD}(?:,? Jr\.)?'
    rf"(?: (?:(?:of the|of|the|de|da|del|la|le|van|von|der|den|bin|al|and the|for|&) )?(?:{_WORD}|\d+\b)){{0,6}})"
)
PLACE = rf"(?:the )?{_WORD}(?: (?:(?:of the|of|upon|on|the|de|del|la) )?{_WORD}){{0,4}}(?:, (?!and\b){_WORD}(?: {_WORD}){{0,2}}){{0,3}}"
_PART = (
    rf"(?:the |an? )?(?:(?:[{_UPPER}][\w-]+ ){{0,2}}"
    r"(?:(?!(?:of|for|from|in|with|and|by|to|on|at|as|his|her|their)\b)[a-z][\w/-]* ){1,4})?"
)
_DONE = r"(?:,? (?:and )?(?:co-)?\w+(?:ed|ten))*,?"
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
FULL_DATE = rf"(?:\d{{1,2}} {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}}, \d{{4}})"
_RELATED = "wife|husband|widow|son|daughter|brother|sister|nephew|niece|grandson|granddaughter|cousin"
_IN_BAND = (
    r"lead singer|lead vocalist|vocalist|frontman|lead guitarist|guitarist|drummer|bassist|bass player|keyboardist"
)
_LEADS = "founder|co-founder|CEO|chief executive officer|president|chairman|head coach|owner|chancellor|editor-in-chief"
_SCHOOLED = r"\b(?:attended|graduated from|educated at|studied (?:[a-z]+ )?at|alumn(?:us|a) of|degree (?:in [\w ]+ )?(?:from|at))"
ALL = frozenset(HEADS)
_MADE_BY = "direct|film|act|produc|screen|televis|writ|music|author|theat"
_WRITING = (
    "writ|author|novel|poet|journal|playwr|dramat|screen|direct|comedian|produc|essay|historian|philosoph|scholar"
)
_MUSIC = "music|sing|rap|band|song|compos|record|pop|rock"


class Relation(NamedTuple):
    """A thing that a sentence may say of its page's subject."""

    name: str
    kinds: frozenset[str]
    """The kinds of subjects that have it."""
    patterns: tuple[re.Pattern[str], ...]
    """The words that state it; the group `v` is its value."""
    ask: str
    """The question for it, with the slots that `wording` fills."""
    describes: str = ""
    """Words for its value, with the same slots; empty where the value is no thing that has a page."""
    clause: str = ""
    """The words after "the film director" that say the same, with `{who}` for the word that begins them."""
    leads_to: frozenset[str] = frozenset()
    """The kinds of pages that its value may have."""
    fits: str = ""
    """Words of which such a page must hold one, for it to be the one meant and no namesake's."""
    cues: str = ""
    """Beginnings of words that stand wherever it is told, however it is told; empty where nothing is sure to."""


def _relation(name: str, kinds: frozenset[str] | str, *patterns: str, **rest: object) -> Relation:
    kinds = frozenset(kinds.split()) if isinstance(kinds, str) else kinds
    rest["leads_to"] = frozenset(str(rest.get("leads_to", "")).split())
    return Relation(name, kinds, tuple(map(re.compile, patterns)), **rest)  # type: ignore[arg-type]


RELATIONS = (
    # who made it
    _relation("director", "film show play", rf"\bdirected{_DONE} by {_PART}(?P<v>{NAME})",
              ask="Who directed {}?", describes="the director of {}", clause="{who} directed {}", leads_to="person",
              fits=_MADE_BY, cues="direct"),
    _relation("author", "book play", rf"\bwritten{_DONE} by {_PART}(?P<v>{NAME})",
              rf"^[^.;]{{0,60}}?\b(?:novel|book|novella|memoir|autobiography|play) by {_PART}(?P<v>{NAME})",
              ask="Who wrote {}?", describes="the author of {}", clause="{who} wrote {}", leads_to="person", fits=_WRITING,
              cues="writ|wrote|author"),
    _relation("writer", "film show episode song", rf"\bwritten{_DONE} by {_PART}(?P<v>{NAME})",
              ask="Who wrote {}?", describes="the writer of {}", clause="{who} wrote {}", leads_to="person",
              fits=f"{_WRITING}|{_MUSIC}", cues="writ|wrote|author"),
    _relation("source", "film show play", r"\bbased on (?:the|an?) (?:[\w-]+ ){0,3}?(?:novel|book|play|memoir|novella|short "
              rf"story|autobiography)(?: of the same name)?(?: (?:called |entitled )?{NAME})? (?:written )?by {_PART}(?P<v>{NAME})",
              ask="Who wrote the work on which {} is based?", describes="the author of the work on which {} is based",
              clause="{who} wrote the work on which {} is based", leads_to="person", fits=_WRITING, cues="based"),
    _relation("composer", "play song", rf"\b(?:composed|music){_DONE} by {_PART}(?P<v>{NAME})",
              ask="Who composed {}?", describes="the composer of {}", clause="{who} composed {}", leads_to="person",
              fits=_MUSIC, cues="compos|music"),
    _relation("score", "film show game", rf"\b(?:scored|music|soundtrack|score){_DONE} by {_PART}(?P<v>{NAME})",
              ask="Who composed the music of {}?", describes="the composer of the music of {}",
              clause="{who} composed the music of {}", leads_to="person band", fits=_MUSIC, cues="compos|music|score"),
    _relation("producer", "film show album song", rf"\bproduced{_DONE} by {_PART}(?P<v>{NAME})",
              ask="Who produced {}?", describes="the producer of {}", clause="{who} produced {}",
              leads_to="person company band", fits=f"{_MADE_BY}|{_MUSIC}|compan", cues="produc"),
    _relation("creator", "show game character", rf"\bcreated{_DONE} by {_PART}(?P<v>{NAME})",
              ask="Who created {}?", describes="the creator of {}", clause="{who} created {}", leads_to="person", cues="creat"),
    _relation("developer", "game", rf"\bdeveloped{_DONE} by {_PART}(?P<v>{NAME})",
              ask="Which company developed {}?", describes="the developer of {}", clause="{who} developed {}",
              leads_to="company", cues="develop"),
    _relation("publisher", "game book paper", rf"\bpublished{_DONE} by {_PART}(?P<v>{NAME})",
              ask="Who published {}?", describes="the publisher of {}", clause="{who} published {}",
              leads_to="company organization school paper", cues="publish"),
    _relation("distributor", "film", rf"\b(?:distributed|released){_DONE} by {_PART}(?P<v>{NAME})",
              ask="Which company distributed {}?", describes="the distributor of {}", clause="{who} distributed {}",
              leads_to="company", cues="distribut|releas"),
    _relation("label", "album song", rf"\breleased\b[^.;]{{0,40}}? (?:by|on|through|via) (?:the )?(?:[a-z]+ ){{0,2}}"
              rf"(?P<v>(?:{_WORD} ){{1,3}}(?:Records|Recordings|Entertainment|Music))\b",
              ask="Which record label released {}?", describes="the record label that released {}",
              clause="{who} released {}", leads_to="company", cues="label|releas|record"),
    _relation("performer", "album song", rf"^[^.;]{{0,90}}?\b(?:album|song|single|EP|soundtrack)(?: recorded| released)? by "
              rf"{_PART}(?P<v>{NAME})",
              ask="Who recorded {}?", describes="the artist who recorded {}", clause="{who} recorded {}",
              leads_to="person band", fits=_MUSIC, cues="by"),
    _relation("album", "song", rf"\bfrom (?:his|her|their|its|the) (?:[\w-]+ ){{0,4}}album,? (?P<v>{NAME})",
              ask="Which album is {} from?", describes="the album that {} is from",
              clause="that {} is from", leads_to="album", cues="album"),
    _relation("series", "episode", rf"\bepisode [^.]{{0,90}}?\b(?:series|sitcom|show|drama) (?P<v>{NAME})",
              ask="Of which series is {} an episode?", describes="the series that has {}", clause="that has {}",
              leads_to="show", cues="series"),
    _relation("network", "show", r"\b(?:aired|airs|broadcast|premiered|shown|debuted)(?: \w+){0,2} on (?:the )?"
              rf"(?!(?:{DATE}))(?P<v>{NAME})",
              ask="On which network did {} air?", describes="the network on which {} aired", clause="{who} aired {}",
              leads_to="station company", cues="air|broadcast|premier|network|channel"),
    _relation("portrayal", "character", rf"\b(?:portrayed|played){_DONE} by {_PART}(?P<v>{NAME})", ask="Who portrayed {}?",
              describes="the performer who portrayed {}", clause="{who} portrayed {}", leads_to="person", fits=_MADE_BY,
              cues="portray|play|voice"),
    _relation("setting", "film book show play game", rf"\b(?<!-)set in (?P<v>{PLACE})", ask="Where is {} set?",
              cues="set|takes place"),
    _relation("release", "film album song game", rf"\breleased(?: \w+)? (?:on|in) (?P<v>{DATE})", ask="When was {} released?",
              cues="releas"),
    _relation("year", "film album song game book", ask="In which year did {} come out?"),
    _relation("publication", "book", rf"\bpublished(?: \w+)? (?:on|in) (?P<v>{DATE})", ask="When was {} published?",
              cues="publish"),
    _relation("premiere", "show episode play", rf"\b(?:premiered|aired|debuted)\b[^.;]{{0,40}}? (?:on|in) (?P<v>{FULL_DATE})",
              ask="When did {} premiere?", cues="premier|air|debut"),
    # people
    _relation("birth date", "person", rf"\((?:[^()]*? )?(?:born|b\.):? (?:[^()]*? )?(?P<v>{FULL_DATE})",
              rf"\((?:[^()]*?[;,] ?)?(?P<v>{FULL_DATE}) ?(?:\w[^()–—]*)?[–—-]", rf"\bwas born (?:on )?(?P<v>{FULL_DATE})",
              ask="When was {} born?", cues="born|birth"),
    _relation("birth year", "person", r"\((?:[^()]*? )?born:? (?:in )?(?P<v>[12]\d{3})\b", ask="In what year was {} born?",
              cues="born|birth"),
    _relation("nationality", "person", ask="What is the nationality of {}?"),
    _relation("death date", "person", rf"{FULL_DATE} ?[^()–—]{{0,50}}[–—-] ?(?:died )?(?P<v>{FULL_DATE})", rf"\bdied on (?P<v>{FULL_DATE})",
              ask="When did {} die?", cues="died|death|killed|murder"),
    _relation("birthplace", "person", rf"\bborn\b[^.;()]{{0,45}}?\b(?:in|at) (?P<v>{PLACE})",
              ask="Where was {} born?", describes="the birthplace of {}", leads_to="place", cues="born|native|birth|from"),
    _relation("death place", "person", rf"\bdied\b[^.;()]{{0,40}}?\bin (?P<v>{PLACE})", ask="Where did {} die?",
              cues="died|death|killed|murder"),
    _relation("home", "person", rf"\b(?:grew up|was raised) in (?P<v>{PLACE})", ask="Where did {} grow up?",
              describes="the place where {} grew up", leads_to="place", cues="grew|raised"),
    _relation("birth name", "person", rf"\(born (?P<v>{_WORD}(?: {_WORD}){{1,4}})[;,]", ask="What was {} named at birth?",
              cues="born"),
    _relation("university", "person", rf"{_SCHOOLED} (?:the )?(?P<v>(?:{_WORD} ){{0,4}}University(?: of(?: the)?(?: {_WORD}){{1,3}})?)",
              ask="Which university did {} attend?", describes="the university that {} attended",
              clause="that {} attended", leads_to="school",
              cues="attend|graduat|educat|stud|alumn|degree|universit|college"),
    _relation("school", "person", rf"{_SCHOOLED} (?:the )?(?P<v>(?:{_WORD} ){{1,4}}(?:School|Academy|Conservatory|College))",
              ask="Which school did {} attend?",
              cues="attend|graduat|educat|stud|alumn|school|college"),
    _relation("relative", "person", rf"\b(?P<role>(?:{_RELATED})) of {_PART}(?P<v>{NAME})",
              ask="Whose {role} {was} {}?", describes="the person whose {role} {was} {}", clause="whose {role} {was} {}",
              leads_to="person", cues="wife|husband|son|daughter|brother|sister|married|father|mother"),
    _relation("spouse", "person", rf"\b(?:is|was) married to {_PART}(?P<v>{NAME})", rf"\bmarried (?!to\b){_PART}(?P<v>{NAME})",
              ask="To whom {was} {} married?", describes="the spouse of {}", clause="to whom {} {was} married",
              leads_to="person", cues="wife|husband|married|spouse"),
    _relation("band", "person", rf"\b(?P<role>{_IN_BAND})(?: and [a-z -]+)? (?:of|for|in|with) {_PART}(?P<v>{NAME})",
              rf"\b(?P<role>member) of the (?:[\w-]+ ){{0,4}}(?:band|group|duo|trio) (?P<v>{NAME})",
              ask="Of which band {was} {} {a_role}?", describes="the band of which {} {was} {a_role}",
              clause="of which {} {was} {a_role}", leads_to="band",
              cues="band|group|member"),
    _relation("post", "person", rf"\b(?P<role>{_LEADS})(?: and [\w ]{{3,20}})? of {_PART}(?P<v>{NAME})",
              ask="Of what {was} {} the {role}?", describes="the organization of which {} {was} the {role}",
              clause="of which {} {was} the {role}",
              leads_to="company organization team school paper station band", cues=_LEADS),
    _relation("team", "person", rf"\b(?:currently )?plays\b(?: [a-z-]+){{0,6}} for (?:the )?(?:[A-Z][a-z]+ (?=[a-z]))?(?:[a-z]+ ){{0,3}}(?P<v>{NAME})",
              ask="For which team does {} play?", describes="the team for which {} plays",
              clause="for which {} plays", leads_to="team",
              cues="play|sign|team"),
    _relation("character", "person", rf"\bknown for (?:his|her) (?:[a-z-]+ ){{0,3}}(?:role|portrayal|performance) (?:as|of) (?P<v>{NAME}) "
              r"(?=in|on)", ask="For playing which character {was} {} best known?", cues="role|play|portray|character"),
    # groups
    _relation("formation", "band", r"\b(?:formed|founded)\b[^.;]{0,60}? in (?:early |late )?(?P<v>(?:[A-Z][a-z]+ )?[12]\d{3})\b",
              ask="When was {} formed?", cues="found|form|start|began"),
    _relation("founding", GROUPS - {"band"}, r"\b(?:founded|established|formed|incorporated)\b[^.;]{0,60}? in (?:early |late )?(?P<v>(?:[A-Z][a-z]+ )?[12]\d{3})\b",
              rf"\b(?:founded|established|formed|incorporated) on (?P<v>{FULL_DATE})",
              ask="When was {} founded?", cues="found|establish|form|incorporat|start"),
    _relation("founder", GROUPS, rf"\b(?:founded|established|formed)(?: in [12]\d{{3}})? by {_PART}(?P<v>{NAME})",
              ask="Who founded {}?", describes="the founder of {}", clause="{who} founded {}", leads_to="person",
              cues="found|establish|form"),
    _relation("base", "company organization school team paper", rf"\b(?:headquartered|based|headquarters (?:is|are)(?: located)?) in (?P<v>{PLACE})",
              ask="Where {was} {} based?", describes="the place where {} {was} based", leads_to="place",
              cues="headquarter|based|located"),
    _relation("origin", "band", rf"^[^.;]{{0,90}}?\bband (?:formed in|from) (?P<v>{PLACE})", ask="Where {was} {} from?",
              describes="the place that {} {was} from", leads_to="place", cues="from|form"),
    _relation("owner", (GROUPS - {"band"}) | {"building"}, rf"\bowned(?: and operated)? by {_PART}(?P<v>{NAME})",
              ask="Who {owns} {}?", describes="the owner of {}", clause="{who} {owns} {}", leads_to="person company organization",
              cues="own"),
    _relation("parent", "company", rf"\b(?:subsidiary|division) of {_PART}(?P<v>{NAME})",
              ask="Of which company {was} {} a part?", describes="the parent company of {}", leads_to="company",
              cues="subsidiary|division|own|parent"),
    _relation("league", "team", rf"\b(?:plays|play|competes|compete)\b[^.;]{{0,30}}? in (?:the )?(?P<v>{NAME})",
              ask="In which league does {} play?", cues="league|play|compet|division"),
    _relation("ground", "team", rf"\bhome (?:games|matches|ground)[^.;]{{0,20}}? (?:at|in|is) (?:the )?(?P<v>{NAME})",
              ask="Where does {} play its home games?", describes="the home ground of {}", leads_to="building",
              cues="home|stadium|ground|arena"),
    # places and buildings
    _relation("location", "building school station", r"\b(?:located|situated) (?:on [^.;,]{3,40} )?(?:in|at) (?:the (?:city|town|village|"
              rf"suburb|borough) of )?(?P<v>{PLACE})", rf"^[^.;,]{{0,80}}? in (?:the (?:city|town|village) of )?(?P<v>{PLACE})",
              ask="Where {was} {} located?", describes="the place where {} {was} located", leads_to="place",
              cues="locat|situat|in"),
    _relation("architect", "building", rf"\bdesigned{_DONE} by {_PART}(?P<v>{NAME})", ask="Who designed {}?",
              describes="the architect of {}", clause="{who} designed {}", leads_to="person company", fits="archit|design|engineer",
              cues="design|architect"),
    _relation("opening", "building", rf"\bopened\b(?: [a-z]+){{0,4}} (?:on|in) (?P<v>{DATE})", ask="When did {} open?",
              cues="open"),
    _relation("population", "place", r"\bpopulation\b[^.;]{0,50}?\b(?:was|is|of) (?:about |approximately |around |over )?"
              r"(?P<v>\d[\d,.]*\d)(?! ?(?:%|in\b|as\b|people per))", ask="What {was} the population of {}?", cues="population|inhabitant|people"),
    _relation("seat", "place", rf"\bcounty seat of (?P<v>{NAME})", ask="Of which county {was} {} the county seat?",
              describes="the county of which {} {was} the county seat", leads_to="place", cues="seat"),
    _relation("namesake", ALL - {"person"}, rf"\bnamed (?:after|for|in honou?r of) {_PART}(?P<v>{NAME})",
              ask="Who or what {was} {} named after?", describes="the namesake of {}", leads_to="person",
              cues="named|name"),
    _relation("family", "species", rf"\bin the (?:[a-z]+ )?family (?P<v>{_WORD})", rf"\bin the (?P<v>{_WORD}) family",
              ask="To which family does {} belong?", cues="family"),
    _relation("native", "species", rf"\b(?:native|endemic) to (?P<v>{PLACE})", ask="To which place {was} {} native?",
              cues="native|endemic|found|grow"),
)  # fmt: skip
"""The relations known."""
