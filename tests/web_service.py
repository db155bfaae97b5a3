"""A service behind HTTP on 127.0.0.1 for the length of a `with` block, on a thread of its own."""

import asyncio
import contextvars
import io
import json
import threading
from contextlib import contextmanager

import httpx
from time_limit import LIMIT

from multihop.serve.application import make_application, make_index_application
from multihop.serve.catalogue import Catalogue, Served
from multihop.serve.operation import EventLog, Limits
from multihop.serve.service import IndexService, Service
from multihop.serve.web_server import WebServer, address_of_socket, listening_socket


class WebService:
    """The server as a test knows it."""

    def __init__(self, service, stream, url):
        self.service, self.url, self._stream = service, url, stream
        self.loop = self.server = None
        self.client = httpx.Client(**self._how())

    def _how(self):
        return {"base_url": self.url, "timeout": LIMIT, "verify": False}  # no certificates are loaded for nothing

    def new_client(self):
        """A client for coroutines."""
        return httpx.AsyncClient(**self._how())

    def events(self):
        """The lines of the log."""
        return [json.loads(line) for line in self._stream.getvalue().splitlines()]

    def end(self):
        """Ends the server, as SIGTERM does."""
        self.loop.call_soon_threadsafe(self.server.end)


def events_of(reply):
    """The events of a stream, as (name, content)."""
    for text in reply.text.split("\n\n"):
        if text:
            name, content = text.split("\n")
            yield name.removeprefix("event: "), json.loads(content.removeprefix("data: "))


def service_of(programs, *, with_texts=False, cache="off", documents=None, **limits):
    """A service, and the stream that it logs to; programs are (program, LM) by name."""
    stream = io.StringIO()
    served = [Served(name=name, program=program, lm=lm) for name, (program, lm) in programs.items()]
    log = EventLog(stream, with_texts=with_texts)
    return Service(Catalogue(served), Limits(**limits), cache=cache, log=log, documents=documents), stream


def web_service(programs, *, keys=(), examples=(), **options):
    """A server of programs; see `service_of`."""
    service, stream = service_of(programs, **options)
    return _serving(service, stream, make_application(service, keys=keys, examples=examples))


def web_index(retriever, **limits):
    """A server of an index."""
    stream = io.StringIO()
    service = IndexService(retriever, Limits(**limits), log=EventLog(stream))
    return _serving(service, stream, make_index_application(service))


@contextmanager
def _serving(service, stream, application):
    with listening_socket("127.0.0.1", 0) as listener:
        web = WebService(service, stream, address_of_socket(listener, "127.0.0.1"))

        async def serve():
            web.loop, web.server = asyncio.get_running_loop(), WebServer(application, service.limits)
            begun.set()
            await web.server.serve_at(listener)

        begun = threading.Event()
        context = contextvars.copy_context()  # with the prices of the test
        thread = threading.Thread(target=lambda: context.run(asyncio.run, serve()), daemon=True)
        thread.start()
        begun.wait()
        try:
            yield web
        finally:
            web.client.close()
            if not web.server.should_exit:  # a second time, it would not wait
                web.end()
            thread.join(60)
            assert not thread.is_alive()
