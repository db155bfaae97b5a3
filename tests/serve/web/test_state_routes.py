import base64
import hashlib
import re

from multihop.serve.web.state_routes import PAGE, POLICY


def test_the_policy_allows_what_the_page_brings_and_nothing_else():
    assert POLICY.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", PAGE, flags=re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in POLICY
    assert "unsafe" not in POLICY


def test_the_page_takes_nothing_from_elsewhere_and_makes_no_markup_of_what_it_is_told():
    assert not re.search(r"https?://|\bsrc=|\bhref=|style=|\son\w+=", PAGE)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", PAGE)
