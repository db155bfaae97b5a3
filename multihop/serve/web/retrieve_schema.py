"""`POST /retrieve` in OpenAPI: an example of its body, and one of its reply."""

from typing import Any

RETRIEVE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"example": {"queries": ["Night Train"], "topk": 5, "return_scores": True}}},
    }
}
RETRIEVE_REPLY: dict[str, Any] = {
    "description": "For each query its hits, best first, as Search-R1 and FlashRAG read them.",
    "content": {"application/json": {"example": {"result": [[{"document": {"id": "p1"}, "score": 3.1}]]}}},
}
