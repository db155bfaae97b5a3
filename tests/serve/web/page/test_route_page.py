"""The page of the routes says what the server says of itself, and its lines are answered as they stand."""

import html
import re
import shutil
import subprocess

import httpx
import pytest
from toys import echo
from web_service import web_service

from multihop import BM25, OneStep, Passage, scripted
from multihop.serve.web.page.route_page import route_page, routes_of

HOSTILE = "<script>alert(1)</script>'; rm -rf"


def serving(**options):
    corpus = BM25.build([Passage("1", "Night Train", "Night Train was directed by Jerzy Kowal.")])
    return web_service({"one": (OneStep(corpus), scripted(echo))}, **options)


def lines_of(page):
    return [html.unescape(line) for line in re.findall(r"<pre[^>]*>(.*?)</pre>", page, flags=re.DOTALL)]


@pytest.mark.skipif(shutil.which("curl") is None, reason="no line is asked: there is no curl here")
@pytest.mark.parametrize("keys", [[], ["a key"]])
def test_every_line_is_answered(keys):
    with serving(keys=keys) as web:
        lines = lines_of(httpx.get(f"{web.url}/docs").text)
        assert [line.split()[0] for line in lines] == ["curl"] * 11
        for line in lines:
            asked = f"{line} -s -o /dev/null -w '%{{http_code}}'"
            said = subprocess.run(asked, shell=True, capture_output=True, text=True, env={"MULTIHOP_KEY": "a key"})
            assert (line, said.stdout) == (line, "200")


def test_it_has_every_route_with_its_method_and_fields():
    with serving() as web:
        described = httpx.get(f"{web.url}/openapi.json").json()
        page = httpx.get(f"{web.url}/docs").text
    listed = re.findall(r'<h2 id="route-name-\d+"><code>(\w+) ([^<]*)</code>', page)
    assert listed == [(method.upper(), path) for path, each in described["paths"].items() for method in each]
    assert ("POST", "/ask/stream") in listed
    ask = next(route for route in routes_of(described, "http://here") if route.path == "/ask")
    assert [(field.name, field.type, field.needed) for field in ask.fields] == [
        ("question", "string", True),
        ("program", "string", False),
        ("earlier", "array", False),
    ]
    assert ask.line.startswith("curl http://here/ask -H 'Content-Type: application/json' -d '{\"question\":")
    one = next(route for route in routes_of(described, "http://here") if "{" in route.path)
    assert one.line == ""


def test_whatever_the_server_is_called_is_quoted_and_escaped():
    described = {"paths": {"/x": {"get": {"summary": f"`{HOSTILE}` is", "responses": {}}}}}
    (route,) = routes_of(described, f"http://{HOSTILE}")
    assert subprocess.run(
        ["bash", "-c", f"printf %s {route.line.removeprefix('curl ')}"], capture_output=True
    ).stdout == (f"http://{HOSTILE}/x".encode())
    page = route_page(described, f"http://{HOSTILE}", asks_for_key=False)
    assert "<script>alert" not in page.html


def test_a_host_that_a_client_makes_up_is_no_markup():
    with serving() as web:
        page = httpx.get(f"{web.url}/docs", headers={"Host": "a'b.example"}).text
    assert "a&#39;" in page
    assert "a'b" not in page
