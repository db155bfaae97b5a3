"""A server on 127.0.0.1 with the part of OpenAI's API that fine-tunes: files, and jobs that take some looks to end."""

import json
import re

from json_server import JsonServer


class FinetuningServer(JsonServer):
    """Use it in a `with` block; `url` is what OPENAI_BASE_URL takes.

    Args:
        states: What a job is at each look; the last one stays.
        refuse: Called with each request; a status and an error are sent in the place of an answer, unless it is None.
        error: Why a job that fails has failed.
    """

    def __init__(self, *states, refuse=lambda asked: None, error=None):
        super().__init__(self.answer)
        self.states, self.refuse, self.error = list(states) or ["succeeded"], refuse, error
        self.jobs = {}

    @property
    def url(self):
        return f"{super().url}/v1"

    @property
    def requests(self):
        """Method and path of each, in order."""
        return [f"{each.method} {each.path.partition('?')[0].removeprefix('/v1')}" for each in self.asked]

    def answer(self, asked):
        if refusal := self.refuse(asked):
            status, error = refusal
            return status, {"error": error}, {"Content-Type": "application/json", "x-should-retry": "false"}
        return 200, self.content(asked), {"Content-Type": "application/json"}

    def content(self, asked):
        path = asked.path.partition("?")[0].removeprefix("/v1")
        if path == "/files":
            return {"id": "file-1", "object": "file"}
        if path == "/fine_tuning/jobs" and asked.method == "GET":
            return {"object": "list", "has_more": False, "data": [self.seen(each) for each in reversed(self.jobs)]}
        if path == "/fine_tuning/jobs":
            name = f"ftjob-{len(self.jobs) + 1}"
            self.jobs[name] = {"id": name, "status": "validating_files", **asked.json}
            return self.jobs[name]
        name = path.removeprefix("/fine_tuning/jobs/")
        self.jobs[name]["status"] = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return self.seen(name)

    def seen(self, name):
        job = self.jobs[name]
        made = f"ft:{job['model']}:mine::{name}" if job["status"] == "succeeded" else None
        return {**job, "fine_tuned_model": made, "error": self.error if job["status"] == "failed" else None}


def uploaded(asked):
    """The purpose of an uploaded file, and its rows."""
    parts = asked.body.split(asked.headers["Content-Type"].partition("boundary=")[2].encode())
    found = {}
    for part in parts[1:-1]:
        head, _, text = part.strip(b"\r\n-").partition(b"\r\n\r\n")
        found[re.search(rb'name="(\w+)"', head)[1].decode()] = text.decode()
    return found["purpose"], [json.loads(line) for line in found["file"].splitlines()]
