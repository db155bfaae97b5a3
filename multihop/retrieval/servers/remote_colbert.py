"""The server that comes with ColBERTv2 as a retriever."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from ...base import RunFailed
from .address import Address
from .connection import json_answer
from .server_retriever import ServerRetriever

PATH = "/api/search"


class RemoteColBERT(ServerRetriever):
    """A retriever behind `GET /api/search?query=...&k=...`, which answers {"topk": [{"text": ..., "pid": ...}]}.

    A server that takes no GET is sent the same as JSON by POST. Texts are read as "title | text".

    Examples:
        >>> from multihop.retrieval import open_server
        >>> open_server("colbert:http://localhost:8893")
        RemoteColBERT(http://localhost:8893/api/search)
    """

    per_request = 1
    _posts = False

    def _place(self, address: Address) -> Address:
        return address if address.path else address.at(PATH)

    async def _rank(self, client: Any, queries: Sequence[str], k: int) -> Any:
        (query,) = queries
        asked = {"query": query, "k": k}
        if not self._posts:
            both = "&".join(filter(None, (self.address.query, urlencode(asked))))
            response = await self._connection.send(client, "GET", self.address._replace(query=both))
            self._posts = response.status_code == 405
        if self._posts:
            response = await self._connection.send(client, "POST", self.address, asked)
        answer = json_answer(response, self.address)
        if not isinstance(answer, dict) or not isinstance(answer.get("topk"), list):
            raise RunFailed(f"{self.address} answered without 'topk'; is it a server of ColBERTv2?")
        return [answer["topk"]]
