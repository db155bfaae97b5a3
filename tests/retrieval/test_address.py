import pytest

from multihop.base import InputError
from multihop.retrieval.remote import Address, hide_login, is_address


@pytest.mark.parametrize(
    ("text", "kind", "url", "login"),
    [
        ("http://here:8000", "", "http://here:8000", None),
        ("HTTP://Here:8000/", "", "http://here:8000", None),
        ("opensearch:https://a%40b:p%3Aw@here.org/wiki/", "opensearch", "https://here.org/wiki", ("a@b", "p:w")),
        ("http://[::1]:8893/api/search", "", "http://[::1]:8893/api/search", None),
        ("https://ada@here.org", "", "https://here.org", ("ada", "")),
    ],
)
def test_an_address_is_taken_apart(text, kind, url, login):
    address = Address.read(text)
    assert (address.kind, address.url, address.login) == (kind, url, login)
    assert str(address) == url
    assert repr(address) == f"Address({url})"


@pytest.mark.parametrize("text", ["corpus.jsonl", "hub:hotpotqa", "little", "ftp://here", "C:/corpus.jsonl"])
def test_other_sources_are_no_addresses(text):
    assert not is_address(text)
    with pytest.raises(InputError, match="is no address of a server; write it like http://localhost:8000"):
        Address.read(text)


@pytest.mark.parametrize(
    "text", ["http://", "http://ada:secret@:80", "http://ada:secret@h:99999", "http://ada:secret@h h/"]
)
def test_an_impossible_address_is_refused_without_its_password(text):
    with pytest.raises(InputError, match="is no address of a server") as refused:
        Address.read(text)
    assert "secret" not in str(refused.value)


def test_an_identity_is_of_the_place_and_not_of_who_asks():
    one, other = Address.read("http://ada:x@h/a?k=1"), Address.read("http://bob:y@h/a/?k=1")
    assert one.identity == other.identity
    assert one.identity != Address.read("http://h/a?k=2").identity != Address.read("http://h/b?k=1").identity


def test_what_is_shown_has_no_login():
    assert hide_login("could not get https://ada:x@h/a") == "could not get https://h/a"
    assert hide_login("https://ada:x/y?z@h/a?key=1") == "https://h/a"
