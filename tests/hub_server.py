"""A server on 127.0.0.1 that serves folders as the hub serves repositories of data sets, and keeps its own books."""

import hashlib
import re
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

from local_server import JSONAnswers, LocalServer

SMALL = 200
"""Bytes up to which a file is kept by git, and has git's checksum alone."""


class HubServer(LocalServer):
    """Use it in a `with` block; `url` is what HF_ENDPOINT names.

    Args:
        root: OWNER/NAME/... below it are the repositories.
    """

    def __init__(self, root):
        super().__init__(_Handler)
        self.root = Path(root)
        self.sent = []
        """For every download: the path, the byte it began with, and how many bytes went out."""
        self.break_after = None
        """A download ends after so many bytes, once."""
        self.damage = set()
        """Paths whose last byte is another one."""


def revision(folder):
    """A hash of all that is in the repository, as a commit's is."""
    digest = hashlib.sha1()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def entry(folder, path):
    """The entry of one file in the list of the files."""
    content = path.read_bytes()
    git = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
    about = {"rfilename": path.relative_to(folder).as_posix(), "size": len(content), "blobId": git}
    if len(content) > SMALL:
        about["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    return about


class _Handler(JSONAnswers, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        kind = re.fullmatch(r"/api/datasets/([^/]+/[^/]+?)(?:/revision/(\w+))?", path)
        file = re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/(\w+)/(.+)", path)
        folder = self.server.root / (kind or file)[1]
        if not folder.is_dir():
            self.answer(404, {"error": "no such repository"}, {"X-Error-Code": "RepoNotFound"})
        elif file:
            self.send_file(folder / file[3], file[3], file[2])
        else:
            files = [entry(folder, each) for each in sorted(folder.rglob("*")) if each.is_file()]
            self.answer(200, {"id": kind[1], "sha": kind[2] or revision(folder), "siblings": files})

    def send_file(self, path, name, commit):
        content = path.read_bytes()
        if name in self.server.damage:
            content = content[:-1] + b"?"
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start, end = int(asked[1]) if asked else 0, len(content)
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(end - start))
        self.send_header("X-Repo-Commit", commit)
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.server.break_after is not None:
            end, self.server.break_after = start + self.server.break_after, None
        self.wfile.write(content[start:end])
        self.server.sent.append((name, start, len(content[start:end])))
        if end < len(content):
            self.close_connection = True
            self.wfile.flush()
            self.connection.close()
