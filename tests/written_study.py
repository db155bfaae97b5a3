"""The table of a study written by hand, with texts that try to be markup."""

from written_runs import HOSTILE

TABLE = {
    "experiment": "mine",
    "title": f"A table {HOSTILE}",
    "paper": "A paper",
    "place": "Table 1",
    "caveats": ["5 questions, not 500"],
    "differs": ["The reader is another."],
    "stopped": False,
    "rows": [
        {
            "row": "Ours",
            "set": "HotpotQA",
            "asked": "little",
            "program": "resp",
            "settings": {},
            "folder": "resp/little",
            "lms": ["openai/gpt"],
            "retriever": None,
            "n": 5,
            "errors": 0,
            "calls": 2.0,
            "tokens": 100.0,
            "paid_calls": 10,
            "note": "",
            "cells": [
                {
                    "measure": "F1",
                    "metric": "f1",
                    "published": 40.0,
                    "published_lm": None,
                    "ours": 30.0,
                    "low": 20.0,
                    "high": 45.0,
                    "n": 5,
                    "difference": -10.0,
                }
            ],
        }
    ],
}
