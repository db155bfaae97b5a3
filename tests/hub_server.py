"""A server on 127.0.0.1 that serves folders as the hub serves repositories of data sets, and keeps its own books."""

import hashlib
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from json_server import JsonServer

SMALL = 200
"""Bytes up to which a file is kept by git, and has git's checksum alone."""


class HubServer(JsonServer):
    """Use it in a `with` block; `url` is what HF_ENDPOINT names.

    Args:
        root: OWNER/NAME/... below it are the repositories.
    """

    def __init__(self, root):
        super().__init__(self.serve)
        self.root = Path(root)
        self.sent = []
        """For every download: the path, the byte it began with, and how many bytes went out."""
        self.break_after = None
        """A download ends after so many bytes, once."""
        self.damage = set()
        """Paths whose last byte is another one."""

    def serve(self, asked):
        path = unquote(urlsplit(asked.path).path)
        kind = re.fullmatch(r"/api/datasets/([^/]+/[^/]+?)(?:/revision/(\w+))?", path)
        file = re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/(\w+)/(.+)", path)
        folder = self.root / (kind or file)[1]
        if not folder.is_dir():
            return 404, {"error": "no such repository"}, {"X-Error-Code": "RepoNotFound"}
        if file:
            return self.download(asked, folder / file[3], file[3], file[2])
        files = [entry(folder, each) for each in sorted(folder.rglob("*")) if each.is_file()]
        commit = hashlib.sha1(json.dumps(files).encode()).hexdigest()
        return {"id": kind[1], "sha": kind[2] or commit, "siblings": files}

    def download(self, asked, path, name, commit):
        content = path.read_bytes()
        if name in self.damage:
            content = content[:-1] + b"?"
        part = re.fullmatch(r"bytes=(\d+)-", asked.headers.get("Range", ""))
        start, end = int(part[1]) if part else 0, len(content)
        headers = {"X-Repo-Commit": commit, "ETag": f'"{hashlib.sha256(content).hexdigest()}"'}
        if asked.method != "HEAD":
            if self.break_after is not None:
                headers["Content-Length"] = str(end - start)
                end, self.break_after = start + self.break_after, None
            self.sent.append((name, start, len(content[start:end])))
        return 206 if part else 200, content[start:end], headers


def entry(folder, path):
    """The entry of one file in the list of the files."""
    content = path.read_bytes()
    git = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
    about = {"rfilename": path.relative_to(folder).as_posix(), "size": len(content), "blobId": git}
    if len(content) > SMALL:
        about["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    return about
