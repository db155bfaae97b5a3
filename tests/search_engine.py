"""The part of OpenSearch that a retriever needs, on 127.0.0.1; what its documentation does not have is refused."""

import json
import re
from urllib.parse import parse_qs, urlsplit

from json_server import JsonServer

from multihop.retrieval import BM25, Passage

FIELDS = {"text": {"type", "index", "analyzer", "copy_to"}, "keyword": {"type"}}
JSON = {"Content-Type": "application/json; charset=UTF-8"}


class Refused(Exception):
    """The status and the reason of an error."""


def check(holds, reason, status=400):
    if not holds:
        raise Refused(status, reason)


class SearchEngine(JsonServer):
    """Use it in a `with` block. `indexes` are its indexes by name, each with "settings", "mappings" and "documents"."""

    def __init__(self):
        super().__init__(self.serve)
        self.indexes, self.aliases = {}, {}
        self.full = 0
        """The number of documents of the next requests that find no room."""
        self.broken = {}
        """Entries that a search answers beside its hits."""

    def serve(self, asked):
        parts = urlsplit(asked.path)
        try:
            answer = self.route(asked, parts.path.strip("/").split("/"), parse_qs(parts.query))
        except Refused as refused:
            status, reason = refused.args
            cause = {"type": "illegal_argument_exception", "reason": reason}
            return status, {"error": {**cause, "root_cause": [cause]}, "status": status}, JSON
        return 200, answer, JSON

    def route(self, asked, path, query):
        match asked.method, *path:
            case "POST", "_aliases":
                self.change_aliases(asked.json["actions"])
            case "POST", "_bulk":
                return self.bulk(asked)
            case "HEAD", name:
                check(self.named(name), "", 404)
            case "PUT", name:
                self.create(name, asked.json)
            case "DELETE", name:
                check(self.indexes.pop(name, None) or "ignore_unavailable" in query, f"no such index [{name}]", 404)
            case "GET", name, "_mapping":
                return {each: {"mappings": self.indexes[each]["mappings"]} for each in self.there(name)}
            case "PUT", name, "_mapping":
                check(asked.json.keys() <= {"_meta", "properties"}, "unknown key in mapping")
                self.index(name)["mappings"].update(asked.json)
            case "POST", name, "_refresh":
                self.index(name)
            case "POST" | "GET", name, "_count":
                return {"count": len(self.index(name)["documents"])}
            case "POST", name, "_msearch":
                return self.search_all(name, asked, query)
            case _:
                raise Refused(405, f"no handler found for uri [{asked.path}] and method [{asked.method}]")
        return {"acknowledged": True}

    def named(self, name):
        return [name] if name in self.indexes else self.aliases.get(name, [])

    def there(self, name):
        check(self.named(name), f"no such index [{name}]", 404)
        return self.named(name)

    def index(self, name):
        (found,) = self.there(name)
        return self.indexes[found]

    def create(self, name, body):
        check(re.fullmatch(r"[^A-Z_+\-\\/*?\"<>|,# ][^A-Z\\/*?\"<>|,# ]*", name), f"Invalid index name [{name}]")
        check(not self.named(name), f"index [{name}] already exists")
        settings, mappings = body["settings"]["index"], body["mappings"]
        check(settings.keys() <= {"number_of_shards", "similarity"}, f"unknown setting in {settings}")
        similarity = settings["similarity"]["default"]
        check(similarity.keys() <= {"type", "k1", "b"} and similarity["type"] == "BM25", "unknown similarity")
        properties = mappings["properties"]
        for field, kind in properties.items():
            check(kind.keys() <= FIELDS[kind["type"]], f"unknown parameter on mapper [{field}]")
            check(kind.get("copy_to", field) in properties, "copy_to leads to no field")
            check(kind.get("analyzer", "english") in ("standard", "english"), "analyzer has not been configured")
        self.indexes[name] = {"settings": settings, "mappings": mappings, "documents": {}}

    def change_aliases(self, actions):
        """Change all at once; indexes are removed before anything else."""
        kinds = {"remove_index": {"index"}, "add": {"index", "alias"}}
        for action in actions:
            ((kind, about),) = action.items()
            check(about.keys() == kinds[kind], f"unknown field in [{kind}]")
            self.there(about["index"])
        for name in [action["remove_index"]["index"] for action in actions if "remove_index" in action]:
            del self.indexes[name]
            self.aliases = {alias: [each for each in old if each != name] for alias, old in self.aliases.items()}
        for added in [action["add"] for action in actions if "add" in action]:
            check(added["alias"] not in self.indexes, "an index has the same name as the alias")
            self.aliases.setdefault(added["alias"], []).append(added["index"])

    def bulk(self, asked):
        check(asked.body.endswith(b"\n"), "The bulk request must be terminated by a newline [\\n]")
        lines, items = [json.loads(line) for line in asked.body.splitlines()], []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            check(action["index"].keys() == {"_index", "_id"}, "Malformed action/metadata line")
            id_, status, error = action["index"]["_id"], 201, None
            index = self.index(action["index"]["_index"])
            if self.full:
                self.full -= 1
                status, error = 429, "queue is full"
            elif len(id_.encode()) > 512:
                status, error = 400, f"id is too long, must be no longer than 512 bytes but was: {len(id_.encode())}"
            else:
                index["documents"][id_] = document
            failed = {} if error is None else {"error": {"type": "mapper_parsing_exception", "reason": error}}
            items.append({"index": {"_id": id_, "status": status, **failed}})
        return {"took": 1, "errors": any("error" in item["index"] for item in items), "items": items}

    def search_all(self, name, asked, query):
        check(query.keys() <= {"search_type"}, "unrecognized parameter")
        lines = [json.loads(line) for line in asked.body.splitlines()]
        check(all(head == {} for head in lines[::2]), "unknown key in the header")
        dfs = query.get("search_type") == ["dfs_query_then_fetch"]
        return {"took": 1, "responses": [self.answer(self.index(name), each, dfs) for each in lines[1::2]]}

    def answer(self, index, asked, dfs):
        try:
            found = self.hits(index, asked, dfs)
        except Refused as refused:
            cause = {"root_cause": [{"reason": refused.args[1]}], "reason": "all shards failed"}
            return {"error": cause, "status": 400}
        return {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": found}, **self.broken}

    def hits(self, index, asked, dfs):
        check(asked.keys() == {"size", "query", "_source"}, "unknown key in a search")
        check(asked["size"] <= 10_000, "Result window is too large, from + size must be less than or equal to: [10000]")
        check(dfs, "statistics of one shard")
        found = []
        for hit in self.scored(index, asked["query"], asked["size"]):
            document = index["documents"][hit.passage.id]
            source = {name: text for name, text in document.items() if name in asked["_source"]}
            found.append({"_id": hit.passage.id, "_score": hit.score, "_source": source})
        return found

    def scored(self, index, query, size):
        ((kind, about),) = query.items()
        documents = index["documents"]
        if kind == "match":
            ((field, wanted),) = about.items()
            properties = index["mappings"]["properties"]
            check(properties[field].get("index", True), f"Cannot search on field [{field}] since it is not indexed.")
            searched = [name for name, each in properties.items() if each.get("copy_to") == field]
        else:
            check(kind == "multi_match" and about["type"] == "most_fields", f"unknown query [{kind}]")
            searched, wanted = about["fields"], about
        texts = {id_: " ".join(each.get(name, "") for name in searched) for id_, each in documents.items()}
        corpus = [Passage(id_, "", text) for id_, text in texts.items()]
        return BM25.build(corpus).search([wanted["query"]], size)[0] if corpus else []
