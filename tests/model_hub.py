"""A server on 127.0.0.1 that keeps repositories of models as the hub does, with their commits, branches and owners."""

import base64
import hashlib
import json
import re
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote, urlsplit

from local_server import JSONAnswers, LocalServer

TOKEN, READER = "hf_ada_may_write", "hf_bob_may_read"
"""The tokens that the server knows: of the owner "ada", and of one who may write nowhere."""
LARGE = 100_000
"""Bytes from which on a file is kept apart, and has a sha256."""


class ModelHub(LocalServer):
    """Use it in a `with` block; `url` is what HF_ENDPOINT names."""

    def __init__(self):
        super().__init__(_Handler)
        self.private = {}
        """Whether a repository is private, by its name."""
        self.commits = {}
        """The files of each commit, by its hash."""
        self.branches = {}
        """The commit of each branch, by the repository's name and the branch."""
        self.asked = []
        """The method and the path of every request."""
        self.cut = self.damaged = False
        """True if files are sent with their last byte missing, or another one."""
        self.refused = ""
        """What is wrong with the head of any card."""
        self.before_commit = None
        """Called once before a commit is taken, as somebody else would be who is faster."""

    def add(self, name, files, *, private=False, branch="main"):
        """Put a commit of these files on the branch, as somebody else would."""
        self.private.setdefault(name, private)
        commit = hashlib.sha1(repr((name, branch, sorted(files.items()), len(self.commits))).encode()).hexdigest()
        self.commits[commit] = dict(files)
        self.branches[name, branch] = commit
        return commit

    def files(self, name, branch="main"):
        return self.commits[self.branches[name, branch]]


class _Handler(JSONAnswers, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.note()
        if found := re.fullmatch(r"/api/models/([^/]+/[^/]+?)(?:/revision/(.+))?", path):
            if self.may_read(found[1]):
                self.send_info(found[1], found[2])
        elif found := re.fullmatch(r"/api/models/([^/]+/[^/]+)/tree/(\w+)", path):
            files = self.server.commits[found[2]].items()
            self.answer(200, [{"type": "file", "path": each, "size": len(held), "oid": ""} for each, held in files])
        elif found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/(\w+)/(.+)", path):
            if self.may_read(found[1]):
                self.send_file(self.server.commits[found[2]][found[3]])
        else:
            self.answer(404, {"error": f"nobody knows {path}"})

    def do_POST(self):
        path = self.note()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if path == "/api/validate-yaml":
            errors = [{"message": self.server.refused}] if self.server.refused else []
            self.answer(400 if errors else 200, {"errors": errors, "warnings": []})
        elif self.token() != TOKEN:
            self.answer(403 if self.token() == READER else 401, {"error": "no"}, {"X-Error-Message": "no"})
        elif path == "/api/repos/create":
            self.create(json.loads(body))
        elif found := re.fullmatch(r"/api/models/([^/]+/[^/]+)/(preupload|commit|branch)/(.+)", path):
            getattr(self, found[2])(found[1], found[3], body)
        else:
            self.answer(404, {"error": f"nobody knows {path}"})

    def note(self):
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append((self.command, path))
        return path

    def token(self):
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def may_read(self, name):
        """Answer as the hub does where there is no such repository, or where it is not shown."""
        shown = name in self.server.private and (not self.server.private[name] or self.token() in (TOKEN, READER))
        if not shown:
            self.answer(404 if self.token() else 401, {"error": "no such"}, {"X-Error-Code": "RepoNotFound"})
        return shown

    def send_info(self, name, revision):
        server = self.server
        commit = revision if revision in server.commits else server.branches.get((name, revision or "main"))
        if commit is None:
            self.answer(404, {"error": "no such revision"}, {"X-Error-Code": "RevisionNotFound"})
            return
        siblings = [described(path, content) for path, content in server.commits[commit].items()]
        self.answer(200, {"id": name, "sha": commit, "private": server.private[name], "siblings": siblings})

    def send_file(self, content):
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        start, end = (int(asked[1]), min(int(asked[2]) + 1, len(content))) if asked else (0, len(content))
        part = content[start:end]
        part = part[:-1] if self.server.cut else part[:-1] + b"?" if self.server.damaged else part
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def create(self, wanted):
        name = f"{wanted['organization']}/{wanted['name']}"
        if wanted["organization"] != "ada":
            self.answer(403, {"error": "no right"}, {"X-Error-Message": "no right"})
        elif name in self.server.private:
            self.answer(409, {"error": "it is there already"})
        else:
            self.server.add(name, {".gitattributes": b""}, private=wanted["visibility"] == "private")
            self.answer(200, {"url": f"{self.server.url}/{name}"})

    def branch(self, name, branch, body):
        self.server.branches[name, branch] = self.server.branches[name, "main"]
        self.answer(200, {})

    def preupload(self, name, branch, body):
        files = json.loads(body)["files"]
        modes = [{"path": each["path"], "uploadMode": "regular", "shouldIgnore": False, "oid": None} for each in files]
        self.answer(200, {"files": modes})

    def commit(self, name, branch, body):
        if self.server.before_commit is not None:
            self.server.before_commit()
        lines = [json.loads(line) for line in body.splitlines()]
        parent = lines[0]["value"].get("parentCommit")
        if parent not in (None, self.server.branches[name, branch]):
            self.answer(412, {"error": "the branch has moved"})
            return
        added = {
            each["value"]["path"]: base64.b64decode(each["value"]["content"]) for each in lines if each["key"] == "file"
        }
        commit = self.server.add(name, self.server.files(name, branch) | added, branch=branch)
        self.answer(200, {"commitUrl": f"{self.server.url}/{name}/commit/{commit}", "commitOid": commit})


def described(path, content):
    """A file as the hub lists it."""
    about = {"rfilename": path, "size": len(content), "blobId": hashlib.sha1(_blob(content)).hexdigest()}
    if len(content) >= LARGE:
        about["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    return about


def _blob(content):
    return f"blob {len(content)}\0".encode() + content
