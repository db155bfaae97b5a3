"""A server on 127.0.0.1 that speaks the OpenAI protocol, answers by the prompt alone, and keeps a bill of its own."""

import json
import re
import time
from collections import Counter
from types import SimpleNamespace

from json_server import JsonServer

from multihop.lms import parse_prompt, write_completion

REFUSED = {"429 with retry-after": (429, {"Retry-After": "1"}), "429": (429, {}), "500": (500, {})}
NOT_FIELDS = {"empty completion": "", "wrong field": "[[ ## reply ## ]]\nword", "refusal": "I cannot help with that."}
_TYPES = {"true or false": "bool", "a whole number from 0 to 10": "int", "a list of texts": "list[str]"}
WAYS_TO_FAIL = (*REFUSED, "time-out", "dropped connection", "truncated JSON", *NOT_FIELDS)
"""Everything that a real server does instead of answering; see `fault`."""


class OpenAIServer(JsonServer):
    """Use it in a `with` block; `url` is what an LM takes as api_base.

    Args:
        reply: What is answered, as a function of the parsed prompt.
        usage: Whether replies tell their tokens.
        prompt_cached: How many tokens of each prompt are said to be in a cache of prompts.
        fault: Called with the number of each request; what it returns happens instead of an answer: an HTTP status,
            "unparseable", "dropped", or one of `WAYS_TO_FAIL`.
        slow: Seconds that a request takes which times out.
        keeps_to_schema: True if it complies with schemas; a status, or a message and its `finish_reason`, is answered
            where it is asked for that, which is neither counted nor failed.
        told: What is answered in JSON to GET, by path; others are not found.
    """

    def __init__(
        self,
        reply,
        *,
        usage=True,
        prompt_cached=0,
        fault=lambda number: None,
        slow=6.0,
        keeps_to_schema=False,
        told=None,
    ):
        super().__init__(self.answer)
        self.said, self.usage, self.fault, self.slow = reply, usage, fault, slow
        self.prompt_cached, self.keeps_to_schema, self.told = prompt_cached, keeps_to_schema, told or {}
        self.requests = self.answered = 0
        self.tokens, self.made = Counter(), Counter()
        self.bodies, self.keys, self.probes, self.asked_for = [], [], [], []

    @property
    def url(self):
        return f"{super().url}/v1"

    @property
    def bill(self):
        """Answers given, and their tokens."""
        return self.answered, self.tokens["in"], self.tokens["out"]

    def answer(self, asked):
        """What a request is answered with."""
        if asked.method == "GET":
            self.asked_for.append(asked.path)
            return self.told.get(asked.path, (404, {"error": "not found"}))
        body = asked.json
        if "zebra" in json.dumps(body.get("response_format")):
            self.probes.append(body)
            said = self.keeps_to_schema
            if isinstance(said, bool):
                said = {"content": json.dumps({"word": "zebra"}) if said else "Hello!"}
            return {"choices": [{"message": said, **said}]} if isinstance(said, dict) else (said, {"choices": [{}]})
        with self.lock:
            number = self.requests
            self.requests += 1
            self.bodies.append(body)
            self.keys.append(asked.headers.get("Authorization"))
        fault = self.fault(number)
        with self.lock:
            self.made.update([fault] if fault else [])
        if fault in ("dropped", "dropped connection", "time-out"):
            time.sleep(self.slow if fault == "time-out" else 0)
            return None
        if fault in REFUSED or isinstance(fault, int):
            status, headers = REFUSED.get(fault, (fault, {}))
            return status, {"error": {"message": "refused on purpose", "type": "test", "code": str(status)}}, headers
        return self.complete(body, fault)

    def complete(self, body, fault):
        """The completion, on the bill unless it is cut off."""
        if fault == "unparseable" or fault in NOT_FIELDS:
            text = NOT_FIELDS.get(fault, "I cannot.")
        elif not any("[[ ## " in str(message["content"]) for message in body["messages"]):  # asked in plain words
            prompt = _as_plain_prompt(body["messages"])
            answer = self.said(prompt)
            text = json.dumps(answer) if prompt.style == "json" else next(reversed(answer.values()))
        else:
            prompt = parse_prompt(_as_request(body))
            text = write_completion(self.said(prompt), prompt.style)
        into, out = len(json.dumps(body["messages"])) // 4, len(text) // 4 + 1
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        completion = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [choice]}
        if self.usage:
            completion["usage"] = {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}
            if self.prompt_cached:
                completion["usage"]["prompt_tokens_details"] = {"cached_tokens": self.prompt_cached}
        if fault == "truncated JSON":
            return json.dumps(completion)[:60].encode()
        with self.lock:
            self.answered += 1
            self.tokens.update({"in": into, "out": out})
        return completion


def _as_plain_prompt(messages):
    """What a prompt in plain words asks for, and what it tells, as texts."""
    system, user = messages[0]["content"], messages[-1]["content"]
    shown = [each for each in messages if each["role"] == "assistant"]
    as_json = "Reply with a JSON object" in system
    named = re.findall(r'^"(\w+)" \((.+?)\)', system, re.MULTILINE) if as_json else []
    told = dict(re.findall(r"^([A-Z][a-z ]+):\s(.*?)(?=\n\n[A-Z][a-z ]+:|\Z)", user, re.DOTALL | re.MULTILINE))
    lone = [(user.rpartition("\n\n")[2].rstrip(":"), "")]
    fields = [SimpleNamespace(name=_field(name), type=_TYPES.get(words, "str")) for name, words in named or lone]
    inputs = {_field(name): value for name, value in told.items()}
    style = "json" if as_json else "text"
    return SimpleNamespace(output_fields=fields, inputs=inputs, demonstrations=shown, style=style)


def _field(title):
    return title.lower().replace(" ", "_")


def _as_request(body):
    """A request as `parse_prompt` reads one."""
    system = [message["content"] for message in body["messages"] if message["role"] == "system"]
    others = [SimpleNamespace(role=m["role"], text=m["content"]) for m in body["messages"] if m["role"] != "system"]
    return SimpleNamespace(system="\n".join(system), messages=others, model=body["model"])
