"""Runs written by hand: rows of the four kinds of searches, with texts that try to be markup."""

import json
from pathlib import Path

from multihop.evaluation.journal import Journal

HOSTILE = "</script><script>document.title = 'broken'</script><img src=x onerror=alert(1)>&amp;<!--"
COST = {
    "calls": 3,
    "cached": 1,
    "estimated": 0,
    "retrievals": 2,
    "parse_failures": 0,
    "chain": 2,
    "seconds": 0.5,
    "calls_by_role": {"review": 2, "read": 1},
    "tokens": {"m": {"in": 100, "out": 20}},
    "paid_tokens": {},
    "tokens_by_role": {"review": {"in": 80, "out": 10}, "read": {"in": 20, "out": 10}},
}


def plain_row(identifier, status="ok", calls=2, **fields):
    """A row of a question with one step, which took so many calls."""
    cost = {**COST, "calls": calls, "cached": 0, "chain": calls, "seconds": float(calls)}
    cost |= {"calls_by_role": {"answer": calls}, "tokens": {"m": {"in": 10 * calls, "out": calls}}}
    cost["tokens_by_role"] = {"answer": cost["tokens"]["m"]}
    failure = {"error": {"type": "LMError", "message": "down"}, "metrics": {}}
    outcome = failure if status == "error" else {"error": None, "metrics": {"em": 1.0}}
    known = {"id": identifier, "type": "t", "hops": 2, "supporting": [], "status": status, **outcome, "passages": []}
    return {**known, "cost": cost, "run_seconds": 0.5, **fields}


def find(query, *ids, titles=()):
    named = dict(titles)
    hits = [
        {"id": name, "title": named.get(name, name.upper()), "score": 9.0 - place} for place, name in enumerate(ids)
    ]
    return {"step": "find", "query": query, "k": len(ids), "hits": hits}


def said(step, inputs=None, **outputs):
    return {"step": step, "inputs": inputs or {}, "outputs": outputs}


def reviewed(identifier, title, action, children=(), *, review, **more):
    return {
        "id": identifier,
        "title": title,
        "action": action,
        "review": review,
        **more,
        "children": list(children),
    }


FOUND = {"relevant": True, "enough": True, "analysis": "He was born in Łódź."}
NOT_FOUND = {"relevant": False, "enough": False, "analysis": HOSTILE}
NIGHT_TRAIN = [
    reviewed("p2", "Jerzy", "accept", review=FOUND),
    reviewed("p4", HOSTILE, "reject", review=NOT_FOUND),
]
QUERY = "Where was Jerzy born?"
REVIEWS = {
    "action": "search",
    "query": "Who directed Night Train?",
    "pruned": [{"id": "p3", "title": "Day Train", "why": "nearly repeats another"}],
    "children": [
        reviewed("p1", "Night Train", "search", NIGHT_TRAIN, review={"relevant": True, "enough": False}, query=QUERY),
        reviewed("p5", "", "reject", review={"failed": "unparseable"}),
    ],
}


def searched(sub_question, iteration, reward, children=(), *, chosen=False, visits=1, value=None, **more):
    return {
        "sub_question": sub_question,
        "sentence": f"It is {sub_question}",
        "result": sub_question.strip("?"),
        "passages": ["p1"],
        "visits": visits,
        "value": reward if value is None else value,
        "iteration": iteration,
        "reward": reward,
        "rollout": [],
        "chosen": chosen,
        "children": list(children),
        **more,
    }


MCTS = {
    "visits": 3,
    "value": 2.0,
    "iteration": 0,
    "reward": None,
    "rollout": [],
    "chosen": True,
    "children": [
        searched("Who?", 1, 0.5, [searched("Where?", 2, 1.0, chosen=True)], chosen=True, visits=2, value=1.5),
        searched("When?", 1, 0.5),
    ],
}

LABELS = {
    "step": "label",
    "labels": [
        {"id": "p4", "title": "Other", "tag": "terminate", "relevant": 0.1, "useful": []},
        {"id": "p1", "title": "Night Train", "tag": "continue", "relevant": 0.9, "useful": ["Jerzy"]},
    ],
}
FILTER = {"step": "filter", "outputs": {"after": "Night Train", "marked": "Jerzy", "query": "Jerzy born"}}


def row(identifier, trajectory, *, right=True, complete=True, status="ok", **more):
    share = 1.0 if complete else 0.5
    searched = {
        "question": f"Where was the director of Night Train born? ({identifier})",
        "type": "bridge",
        "answers": ["Łódź", "Lodz"],
        "supporting": ["p1", "p2"],
        "answer": "Łódź" if right else "Warsaw",
        "matched_by": "id",
        "metrics": {"em": float(right), "f1": float(right), "recall@5": share, "recall@K": share},
        "passages": [["p1", 9.0], ["p2", None]] if complete else [["p1", 9.0]],
        "evidence": [{"analysis": "He was born in Łódź.", "passages": ["p1", "p2"]}],
        "trajectory": trajectory,
        "cost": COST,
        "counts": {"rounds": 2},
    }
    return plain_row(identifier, status, **searched | more)


def failed(identifier, kind="TimeoutError", message=HOSTILE):
    nothing = {"answer": None, "metrics": {}, "passages": [], "evidence": []}
    return row(identifier, [], status="error", error={"type": kind, "message": message}, **nothing)


UNMEASURED = {
    "unmeasured": {"em": {"type": "TimeoutError", "message": "slow"}},
    "returned": {"passages": [], "fields": {}},
}
"""What a row has beside its metrics where one of them has no number."""


def rows():
    """A tree of reviews, a Monte-Carlo search, two memories, labelled hops, an error: one of each."""
    first = find("Who directed Night Train?", "p1", "p4", titles=[("p4", HOSTILE)])
    second = find("Where was Jerzy born?", "p2", "p1")
    given = {"evidence": ["It is by Jerzy."], "pathway": [], "question": "?"}
    later = {
        "evidence": ["It is by Jerzy.", "He is from Łódź."],
        "pathway": ["Where was Jerzy born? -> Łódź"],
        "question": "?",
    }
    memories = [said("summarize", summary="It is by Jerzy."), said("judge", given, enough=False)]
    read = said("read", {"question": "?", "passages": ["p1", "p4"]}, answer="Łódź")
    return [
        row("q1", [{"step": "branches", "branches": [[first], [second]]}, {"step": "tree", "tree": REVIEWS}, read]),
        row("q2", [first, {"step": "tree", "tree": MCTS}, read], right=False),
        row("q3", [first, *memories, second, said("read", later, answer="Łódź")], complete=False),
        row(
            "q4",
            [first, LABELS, FILTER, second, said("read", {}, answer=HOSTILE)],
            right=False,
            complete=False,
            status="over_budget",
            answer=HOSTILE,
        ),
        failed("q10"),
    ]


IDENTITY = {
    "program": {
        "name": "tor",
        "settings": {"depth": 2, "widths": [4, 2], "budget": None},
        "prompts": {
            "review": {
                "instructions": HOSTILE,
                "fields": {"question": "what is asked"},
                "demos": [{"question": HOSTILE}],
            }
        },
    },
    "lm": {"review": {"model": "openai/gpt", "type": "chat", "decoding": {"temperature": 0.5}}},
    "adapter": "ChatAdapter",
    "retriever": "bm25-1234",
    "data": {"questions": 40, "fingerprint": "f"},
    "metrics": {"em": 1, "f1": 1},
}
ABOUT = {
    "started": "2026-01-02T03:04:05+00:00",
    "python": "3.11.7",
    "packages": {"multihop": "0.1.0"},
    "git": None,
    "seed": 0,
    "cache": "off",
    "endpoints": {},
    "limits": {"questions": 5, "concurrency": 4, "timeout": None},
}


def write_run(folder, rows, *, settings=None, program="tor", prompts=None, status="finished"):
    """A run's folder, written as `evaluate` writes it."""
    described = {**IDENTITY["program"], "name": program, "settings": settings or IDENTITY["program"]["settings"]}
    described["prompts"] = prompts or described["prompts"]
    with Journal(folder, {**IDENTITY, "program": described}, ABOUT) as journal:
        journal.append(rows)
    if status != "finished":
        path = Path(folder) / "run.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "status": status}))
    return folder
