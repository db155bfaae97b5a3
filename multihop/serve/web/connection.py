"""One client's connection: closed where the client is owed nothing and owes the rest of a head, or takes no reply."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientConnection(H11Protocol):
    """A connection with limits in time that uvicorn has no option for; `look` keeps them.

    A client has so long to send the head of a request, and so long to take what was written. uvicorn bounds what a head
    holds and how long nothing comes between two requests; the guard bounds the time of a body.
    """

    def __init__(self, *arguments: Any, patience: float, most: int, **options: Any) -> None:
        """Nobody is connected yet.

        Args:
            arguments: Those of uvicorn.
            patience: Seconds that a head may take, and a reply to be taken.
            most: Clients at once: a further one takes the place of one that asks nothing, or that takes no reply.
            options: Those of uvicorn.
        """
        super().__init__(*arguments, **options)
        self._patience, self._most = patience, most
        self._since, self._unread = self.loop.time(), 0

    @property
    def asks(self) -> bool:
        """True if a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def takes_nothing(self) -> bool:
        """True if a reply has been waiting for the client for a while."""
        return self.transport.get_write_buffer_size() > 0 and self.loop.time() - self._since > min(1.0, self._patience)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the client, in the place of the one that has asked or taken nothing for the longest time, if need be."""
        super().connection_made(transport)
        if len(self.connections) > self._most:
            others = [each for each in self.connections if isinstance(each, PatientConnection)]
            silent = [each for each in others if not each.asks] or [each for each in others if each.takes_nothing]
            oldest = min(silent, key=lambda each: each._since, default=self)
            if oldest is not self:
                oldest.transport.abort()
                self.connections.discard(oldest)

    def resume_writing(self) -> None:
        """The client has taken what was written."""
        super().resume_writing()
        self._since = self.loop.time()

    def look(self, now: float) -> None:
        """Close the connection if the client has let too much time go by.

        Args:
            now: The time of the event loop.
        """
        unread = self.transport.get_write_buffer_size()
        between_requests = self.timeout_keep_alive_task is not None
        owed = unread > 0 or not (self.asks or between_requests)
        if not owed or 2 * unread < self._unread:
            self._since, self._unread = now, unread
        self._unread = self._unread or unread
        if owed and now - self._since > self._patience:
            self.transport.abort()
