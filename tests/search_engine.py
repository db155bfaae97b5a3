"""The part of OpenSearch that a retriever needs, on 127.0.0.1; it refuses what the real one would refuse."""

import json
from urllib.parse import parse_qs, urlsplit

from json_server import JsonServer

from multihop.retrieval import BM25, Passage


class SearchEngine(JsonServer):
    """Use it in a `with` block. `indexes` are its indexes by name, each a dict of "mapping" and "documents"."""

    def __init__(self):
        super().__init__(self.serve)
        self.indexes = {}
        self.full = 0
        """The number of documents of the next requests that find no room."""
        self.broken = {}
        """Entries that a search answers beside its hits."""

    def serve(self, asked):
        parts = urlsplit(asked.path)
        name, _, action = parts.path.strip("/").partition("/")
        known = {
            ("PUT", ""): self.make,
            ("DELETE", ""): self.drop,
            ("GET", "_mapping"): self.mapping,
            ("PUT", "_mapping"): self.remap,
            ("POST", "_bulk"): self.bulk,
            ("POST", "_refresh"): lambda *_: {"_shards": {"failed": 0}},
            ("GET", "_count"): lambda index, *_: {"count": len(index["documents"])},
            ("POST", "_delete_by_query"): self.delete,
            ("POST", "_msearch"): self.search,
        }
        work = known.get((asked.method, action))
        if work is None:
            return 405, {"error": {"reason": f"no {asked.method} {action}"}}
        if work == self.make:
            return self.make(name, asked.json)
        if name not in self.indexes:
            return 404, {"error": {"reason": f"no such index [{name}]"}, "status": 404}
        return work(self.indexes[name], asked, parse_qs(parts.query))

    def make(self, name, layout):
        if name in self.indexes:
            return 400, {"error": {"reason": f"index [{name}] already exists"}}
        properties = layout["mappings"]["properties"]
        analyzers = layout["settings"]["analysis"]["analyzer"]
        assert {each["analyzer"] for each in properties.values() if "analyzer" in each} <= analyzers.keys()
        copied = {each["copy_to"] for each in properties.values() if "copy_to" in each}
        assert copied <= properties.keys()
        self.indexes[name] = {"name": name, "layout": layout, "mapping": layout["mappings"], "documents": {}}
        return {"acknowledged": True}

    def drop(self, index, *_):
        del self.indexes[index["name"]]
        return {"acknowledged": True}

    def mapping(self, index, *_):
        return {index["name"]: {"mappings": index["mapping"]}}

    def remap(self, index, asked, _):
        index["mapping"] = {**index["mapping"], **asked.json}
        return {"acknowledged": True}

    def bulk(self, index, asked, _):
        assert asked.headers["Content-Type"] == "application/x-ndjson"
        assert asked.body.endswith(b"\n")
        lines, items = [json.loads(line) for line in asked.body.splitlines()], []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            id_ = action["index"]["_id"]
            if self.full:
                self.full -= 1
                items.append({"index": {"_id": id_, "status": 429, "error": {"reason": "queue is full"}}})
            elif document["text"] == "refuse me":
                items.append({"index": {"_id": id_, "status": 400, "error": {"reason": "failed to parse"}}})
            else:
                index["documents"][id_] = document
                items.append({"index": {"_id": id_, "status": 201}})
        return {"errors": any(item["index"]["status"] > 299 for item in items), "items": items}

    def delete(self, index, asked, _):
        documents = index["documents"]
        (others,) = asked.json["query"]["bool"]["must_not"]
        index["documents"] = {id_: each for id_, each in documents.items() if each["build"] == others["term"]["build"]}
        return {"deleted": len(documents) - len(index["documents"])}

    def search(self, index, asked, query):
        assert query == {"search_type": ["dfs_query_then_fetch"]}
        assert asked.headers["Content-Type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in asked.body.splitlines()]
        assert lines[::2] == [{}] * (len(lines) // 2)
        return {"responses": [self.hits(index, each) for each in lines[1::2]]}

    def hits(self, index, asked):
        if asked["size"] > 10_000:
            return {"error": {"reason": "all failed", "root_cause": [{"reason": "Result window is too large"}]}}
        ((kind, matched),) = asked["query"].items()
        if kind == "match":
            ((field, wanted),) = matched.items()
            properties = index["mapping"]["properties"]
            searched = [name for name, each in properties.items() if each.get("copy_to") == field]
            assert asked["sort"] == ["_score", {"place": "asc"}]
            text = wanted["query"]
        else:
            assert matched["type"] == "most_fields"
            searched, text = matched["fields"], matched["query"]
        pages = sorted(index["documents"].items(), key=lambda pair: pair[1].get("place", 0))
        corpus = [Passage(id_, "", " ".join(document.get(name, "") for name in searched)) for id_, document in pages]
        found = BM25.build(corpus).search([text], asked["size"])[0] if corpus else []
        hits = []
        for hit in found:
            source = {name: value for name, value in dict(pages)[hit.passage.id].items() if name in asked["_source"]}
            hits.append({"_id": hit.passage.id, "_score": hit.score, "_source": source})
        return {"_shards": {"failed": 0}, "timed_out": False, "hits": {"hits": hits}, **self.broken}
