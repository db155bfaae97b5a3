"""A scripted LM for tests that merely use one: it answers every step of every program from its prompt, at once."""

from multihop.base.english import content_words
from multihop.lms import scripted
from multihop.lms.local_engine import fillable_output
from multihop.lms.word_rules import full_question, names

NOT_READ = frozenset({"question", "sub_question", "asked", "thoughts", "candidate", "first", "second"})


def answering(**options):
    """The LM; its `engine` keeps every prompt it was asked."""
    return scripted(reply, **options)


def reply(prompt):
    """A value for every output field: names and whole passages of the prompt, and the question with such a name."""
    inputs = prompt.inputs
    asked = str(inputs.get("sub_question") or inputs.get("question", ""))
    read = [value for name, value in inputs.items() if name not in NOT_READ and isinstance(value, str | list)]
    texts = [str(text) for value in read for text in (value if isinstance(value, list) else [value])]
    known = set(content_words(asked))
    shared = [len(known.intersection(content_words(text))) for text in texts]
    best = texts[shared.index(max(shared))] if texts else ""
    new = [match[0] for match in names(best) if not known.issuperset(content_words(match[0]))]
    answer = new[0] if new else "unknown"
    told = known.intersection(content_words(" ".join(texts)))
    enough = len(told) > 0.7 * len(known)
    queries = [f"{asked} {name}" for name in dict.fromkeys(new[:3])] or [asked]
    queries = [query for query in queries if query not in inputs.get("asked", ())] or [f"{asked} {len(texts)}"]
    said = {
        "answer": answer,
        "reasoning": f'The passages say: "{best}"',
        "relevant": any(shared),
        "enough": enough,
        "sub_questions": queries,
        "answerable": bool(new),
        "action": "finish" if enough else "search",
        "candidates": [answer, "nobody"],
        "valid": True,
        "first_better": True,
        "score": f"{min(10, 2 * len(texts))}",
        "actions": [*([f"finish: {answer}"] if enough else []), *(f"search: {query}" for query in queries)],
        "thoughts": [*([f"So the answer is {answer}."] if enough else []), *queries],
        "full_question": full_question(inputs.get("conversation", ()), asked),
        **dict.fromkeys(("query", "information", "sub_question", "thought"), queries[0]),
        **dict.fromkeys(("analysis", "summary", "sentence", "reflection"), best or "nothing"),
        **dict.fromkeys(("sub_answer", "result"), answer if new else ""),
    }
    return {field.name: said[fillable_output(field)] for field in prompt.output_fields}
