"""The page at `/`, and the policy that lets a browser run nothing on it but what it brings."""

import base64
import hashlib
import re
from pathlib import Path

PAGE = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
"""One file without anything from elsewhere."""


def _hash_of(tag: str) -> str:
    """The source that allows the page's one script, or style, and no other."""
    (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", PAGE, flags=re.S)
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; script-src {_hash_of('script')}; style-src {_hash_of('style')}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy."""
