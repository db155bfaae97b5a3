import httpx
from toys import Steps, echo
from web_service import web_service

from multihop import scripted


def test_a_server_says_that_it_lives_and_that_it_takes_questions_until_it_ends():
    with web_service({"steps": (Steps(), scripted(echo))}) as web:
        assert httpx.get(f"{web.url}/healthz").json() == {"status": "ok"}
        assert httpx.get(f"{web.url}/readyz").json() == {"status": "ready"}
        web.service.draining = True
        drained = httpx.get(f"{web.url}/readyz")
        assert (drained.status_code, drained.json(), drained.headers["retry-after"]) == (
            503,
            {"status": "draining"},
            "1",
        )
        web.service.draining = False
