"""What the four papers say of each row of their tables, read from the papers and from no file of the library.

Settings are those that a paper gives, by the names that programs have for them.
"""

import re

DECODING = {
    "tor": {"temperature": 0.0},  # 4.4: greedy decoding
    "resp": {"max_tokens": 200},  # 4.2: maximum output length
    "efficientrag": {},  # nothing is said
    "mzqa": {"temperature": 0.1, "top_p": 1.0},  # appendix C
}

TOR_CHAIN = {"k": 5, "turns": 3}  # 4.3: top-5 for each query, 3 turns
RESP_CHAIN = {"k": 5, "turns": 3}  # 4.2
SETTINGS = {
    "tor": {
        "tor": {
            "depth": 3,  # all but the last two: 4.4
            "widths": (5, 3, 3),
            "expansion": "mpc",
            "fusion": "evidence",
            "pruning": ("relevance", "repetition"),
            "reader_tokens": 4096,
            "order": "depth-first",  # 3.2
            "reason": ("review", "complete", "read"),  # tables 7, 9, 12: "Thought", "several sentences"
        },
        "cor": {**TOR_CHAIN, "reason": ("review", "read"), "reader_tokens": 4096},  # table 13
        "one-step": {"k": 5},
        "one-step-cot": {"k": 5},
        **dict.fromkeys(("react", "self-ask", "iter-retgen"), TOR_CHAIN),
        "ircot": {**TOR_CHAIN, "max_passages": 15},  # 4.2: up to 15 paragraphs
    },
    "resp": {
        "resp": {**RESP_CHAIN, "input_tokens": 12_000, "output_tokens": 200},
        **{key: {"k": 5} for key in ("one-step", "sure", "recomp", "replug")},
        **dict.fromkeys(("iter-retgen", "ircot"), RESP_CHAIN),
    },
    "efficientrag": {
        "one-step": {"k": 10},  # 4.1: top-10 for naive RAG; of the other baselines nothing is said
        "efficientrag": {"queries": "joined", "k": 10, "hops": 4, "continue_at": 0.5, "useful_at": 0.5},
    },
    "mzqa": {
        "mzqa": {"iterations": 20, "depth": 4, "parallel": 1, "reuse": "none"},  # 5.1, algorithm 1
        "mzqa-bc": {"depth": 4},
        "ircot": {"turns": 9, "max_passages": 15},  # as in its own paper: eight sentences, 15 paragraphs
        "tot-bfs": {"candidates": 5, "breadth": 1},  # appendix C
        **{key: {"candidates": 5} for key in ("tot-dfs", "rap", "lats")},
    },
}
K = {  # MZQA, table 4, and appendix A for the trees
    "one-step": {"hotpotqa": 4, "2wikimultihopqa": 6, "musique": 4},
    "ircot": {"hotpotqa": 6, "2wikimultihopqa": 4, "musique": 6},
    "decomp": {"hotpotqa": 4, "2wikimultihopqa": 4, "musique": 2},
    **{key: {"hotpotqa": 6, "2wikimultihopqa": 8, "musique": 6} for key in ("mzqa", "mzqa-bc", "tot-bfs", "tot-dfs")},
}
K_OF_ROW = {
    "IO w/ Retrieval (GPT-4)": {"hotpotqa": 6, "2wikimultihopqa": 6, "musique": 4},
    "IRCoT, 1 shot": {"hotpotqa": 2, "2wikimultihopqa": 2, "musique": 4},
    "IRCoT, 5 shots": {"hotpotqa": 2, "2wikimultihopqa": 6, "musique": 2},
    "DecomP, 1 shot": {"hotpotqa": 4, "2wikimultihopqa": 2, "musique": 6},
    "DecomP, 5 shots": {"hotpotqa": 6, "2wikimultihopqa": 4, "musique": 4},
}
OF_ROW = {
    "tor-table-3": {each: {"fusion": each.lower()} for each in ("Analysis", "Paragraph", "Evidence")},
    "tor-table-4": {
        "Direct": {"expansion": "direct", "reason": ("read",)},  # table 8 has no thoughts
        "CoT": {"expansion": "cot", "reason": ("review", "read")},
        "MPC": {},
    },
    "tor-table-5": {
        "w/o repetitive pruning": {"pruning": ("relevance",)},
        "w/o relevance pruning": {"pruning": ("repetition",)},
        "w/o both": {"pruning": ()},
    },
    "mzqa-table-1": {
        "ToT-BFS": {"retrieval": False, "k": None},
        "ToT-DFS": {"retrieval": False, "k": None},
        "RAP": {"retrieval": False},
    },
    "mzqa-table-2": {key: {"thought": "sub-question"} for key in ("ToT-BFS", "ToT-DFS")},
}
"""What a table has otherwise than its paper's others, by row."""


LOOPS = "tor cor resp ircot iter-retgen self-ask react decomp mzqa mzqa-bc tot-bfs tot-dfs rap lats lats-bc".split()
"""What searches in rounds: each paper describes when it ends, and none of our rules is among that."""


def settings_of_row(table, row, program, question_set):
    """The settings that the paper gives for a row on a question set."""
    paper = table.partition("-")[0]
    found = dict(SETTINGS[paper].get(program, {}))
    if program in LOOPS:
        found["stops"] = ()
    if paper == "mzqa" and program in K:
        found["k"] = K_OF_ROW.get(row, K[program])[question_set]
    if table == "tor-table-1" and program == "one-step":
        del found["k"]  # recall@15 of one retrieval: not said
    found |= OF_ROW.get(table, {}).get(row, {})
    if turns := re.search(r"iter(\d)", row):  # EfficientRAG
        found["turns"] = int(turns[1])
    if k := re.search(r"k=(\d+)|R@(\d+)", row):
        found["k"] = int(k[1] or k[2])
    if shape := re.fullmatch(r"depth (\d), widths ([\d,]+)", row):
        found |= {"depth": int(shape[1]), "widths": tuple(map(int, shape[2].split(",")))}
    if iterations := re.fullmatch(r"(\d+) iterations?", row):
        found["iterations"] = int(iterations[1])
    return {name: value for name, value in found.items() if value is not None}


SHOTS = {
    "tor": {},  # 4.4: 3 for all
    "resp": {},  # the prompts of appendix A show none
    "efficientrag": {},  # B.3: each prompt shows 3
    "mzqa": {"ircot": 15, "decomp": 15, **dict.fromkeys(("tot-bfs", "tot-dfs", "rap", "lats", "lats-bc"), 5)},  # 5.1
}
USUAL_SHOTS = {"tor": 3, "resp": 0, "efficientrag": 3, "mzqa": 0}
CLONED = {"mzqa-bc": "sub_question", "IRCoT-BC": "thought", "LATS-BC": "action"}
"""An output of the step that a fine-tuned LM answers, by program or row: it is asked as it was trained, with none."""


def shots_of_row(table, row, program):
    """The demonstrations that every step of a row shows."""
    paper = table.partition("-")[0]
    if shots := re.search(r"(\d+) shots?", row):
        return int(shots[1])
    if table == "mzqa-table-2":
        return 0  # MZQA's own prompts
    if table == "mzqa-table-6" and program in ("lats", "lats-bc"):
        return 15
    return SHOTS[paper].get(program, USUAL_SHOTS[paper])


THINKS = {
    "cot": {"answer"},
    "one-step-cot": {"answer"},
    "iter-retgen": {"answer"},
    "cor": {"analysis", "answer"},
    "tor": {"analysis", "information", "answer"},
}
"""The outputs before which a prompt of the paper asks for thoughts."""
