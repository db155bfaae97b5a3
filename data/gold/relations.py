"""Relations as sets name them, "Emma >> author" or ("Emma", "author", ...), as plain questions."""

import re

_QUESTIONS = {
    "applies to jurisdiction": "Which jurisdiction does {} apply to?",
    "author": "Who is the author of {}?",
    "award received": "What award did {} receive?",
    "capital": "What is the capital of {}?",
    "capital of": "What is {} the capital of?",
    "cast member": "Who is a cast member of {}?",
    "cause of death": "What was the cause of death of {}?",
    "child": "Who is a child of {}?",
    "composer": "Who is the composer of {}?",
    "conflict": "In which conflict did {} take part?",
    "contains administrative territorial entity": "Which administrative area does {} contain?",
    "continent": "On which continent is {}?",
    "country": "In which country is {}?",
    "country of citizenship": "What is the nationality of {}?",
    "country of origin": "From which country is {}?",
    "creator": "Who created {}?",
    "crosses": "What does {} cross?",
    "date of birth": "When was {} born?",
    "date of death": "When did {} die?",
    "developer": "Who developed {}?",
    "director": "Who directed {}?",
    "distributed by": "Who distributed {}?",
    "doctoral advisor": "Who was the doctoral advisor of {}?",
    "drafted by": "By which team was {} drafted?",
    "editor": "Who edited {}?",
    "educated at": "Where was {} educated?",
    "employer": "For whom did {} work?",
    "field of work": "In which field did {} work?",
    "followed by": "What came after {}?",
    "follows": "What came before {}?",
    "founded by": "Who founded {}?",
    "has part": "What is a part of {}?",
    "headquarters location": "Where are the headquarters of {}?",
    "inception": "When was {} founded?",
    "instance of": "What is {} an instance of?",
    "languages spoken, written or signed": "Which language did {} speak?",
    "league": "In which league does {} play?",
    "licensed to broadcast to": "To which place is {} licensed to broadcast?",
    "located in or next to body of water": "Which body of water is {} in or next to?",
    "located in the administrative territorial entity": "In which administrative area is {} located?",
    "located on terrain feature": "On which terrain feature is {} located?",
    "location": "Where is {}?",
    "location of formation": "Where was {} formed?",
    "main subject": "What is the main subject of {}?",
    "manufacturer": "Who manufactured {}?",
    "member of": "What was {} a member of?",
    "member of political party": "To which political party did {} belong?",
    "member of sports team": "For which sports team did {} play?",
    "military branch": "In which military branch did {} serve?",
    "mother": "Who is the mother of {}?",
    "mouth of the watercourse": "Into what does {} flow?",
    "movement": "Which movement does {} belong to?",
    "named after": "After whom or what is {} named?",
    "native language": "What is the native language of {}?",
    "occupation": "What is the occupation of {}?",
    "operator": "Who operates {}?",
    "original broadcaster": "Which broadcaster first showed {}?",
    "owned by": "Who owns {}?",
    "parent taxon": "What is the parent taxon of {}?",
    "part of": "What is {} a part of?",
    "part of the series": "Which series is {} a part of?",
    "participant": "Who took part in {}?",
    "participant in": "In what did {} take part?",
    "performer": "Who performed {}?",
    "place of birth": "Where was {} born?",
    "place of burial": "Where is {} buried?",
    "place of death": "Where did {} die?",
    "place of detention": "Where was {} detained?",
    "place served by transport hub": "Which place does {} serve?",
    "platform": "On which platform does {} run?",
    "presenter": "Who presents {}?",
    "present in work": "In which work does {} appear?",
    "producer": "Who produced {}?",
    "production company": "Which company produced {}?",
    "publication date": "When was {} released?",
    "publisher": "Who published {}?",
    "record label": "On which record label was {} released?",
    "religion": "What is the religion of {}?",
    "residence": "Where does {} live?",
    "screenwriter": "Who wrote the screenplay of {}?",
    "shares border with": "With what does {} share a border?",
    "sibling": "Who is a sibling of {}?",
    "spouse": "Who is the spouse of {}?",
    "student of": "Whose student was {}?",
    "winner": "Who won {}?",
    "work location": "Where did {} work?",
}
_WHO = {"father", "mother", "son", "daughter", "wife", "husband", "brother", "sister", "founder", "owner", "leader"}


def relation_question(subject: str, relation: str) -> str:
    """A relation of something as a plain question.

    Examples:
        >>> from multihop.data.gold.relations import relation_question
        >>> relation_question("Emma", "director"), relation_question("Emma", "narrative location")
        ('Who directed Emma?', 'What is the narrative location of Emma?')
    """
    relation = relation.strip()
    if relation in _QUESTIONS:
        return _QUESTIONS[relation].format(subject)
    return f"{'Who' if relation.lower() in _WHO else 'What'} is the {relation} of {subject}?"


def plain_question(question: str) -> str:
    """A sub-question as a plain question, where a set gives it as "subject >> relation" or in telegram style.

    Examples:
        >>> from multihop.data.gold.relations import plain_question
        >>> plain_question("Emma >> author"), plain_question("who is the wife of Ada 's son")
        ('Who is the author of Emma?', "Who is the wife of Ada's son?")
    """
    subject, arrow, relation = (part.strip() for part in question.partition(">>"))
    if arrow and subject and relation:
        return relation_question(subject, " ".join(relation.replace(">>", " ").split()))
    words = re.sub(r"\s+(?=['’]s\b|[?,.;!])", "", " ".join(question.replace(">>", " ").split()))
    return f"{words[:1].upper()}{words[1:].rstrip('?. ')}?" if words else ""
