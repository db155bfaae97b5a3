"""The real client of the hub, against a server on this machine."""

import pytest
from model_hub import LARGE, READER, ModelHub

from multihop import DamagedFileError, InputError
from multihop.optimize.places.hub_place import HubPlace

FILES = {"README.md": b"# films", "program.json": b'{"a": 1}'}


def write(place, files=FILES, *, public=False):
    return place.write(files, public=public, found=place.look(), message="one-step, saved by multihop")


@pytest.mark.parametrize("public", [False, True])
def test_a_repository_is_made_and_filled_in_one_commit(hub, public):
    at = write(HubPlace("ada/films"), public=public)
    assert hub.private == {"ada/films": not public}
    assert hub.files("ada/films") == {".gitattributes": b"", **FILES}
    assert at == f"{hub.url}/ada/films/commit/{hub.branches['ada/films', 'main']}"
    assert [path for _, path in hub.asked if "commit" in path or "create" in path] == [
        "/api/repos/create",
        "/api/models/ada/films/commit/main",
    ]


def test_it_is_looked_at_and_read(hub):
    commit = hub.add("ada/films", FILES, private=True)
    place = HubPlace("ada/films")
    found = place.look()
    assert (found.files, found.public, found.revision) == ({"README.md": 7, "program.json": 8}, False, commit)
    assert place.read("program.json") == FILES["program.json"]
    assert HubPlace("ada/films").read("README.md") == FILES["README.md"]
    with pytest.raises(InputError, match="hf://ada/films holds no weights.bin."):
        place.read("weights.bin")


def test_what_is_read_is_of_the_commit_that_was_looked_at(hub):
    hub.add("ada/films", FILES)
    place = HubPlace("ada/films")
    place.look()
    hub.add("ada/films", {"program.json": b"another"})
    assert place.read("program.json") == FILES["program.json"]


def test_a_revision_is_made_and_read(hub):
    hub.add("ada/films", FILES)
    other = FILES | {"program.json": b"2"}
    place = HubPlace("ada/films", "v2")
    assert place.look().new_branch
    with pytest.raises(InputError, match="ada/films has no revision 'v2'."):
        place.read("program.json")
    write(place, other)
    assert HubPlace("ada/films", "v2").read("program.json") == b"2"
    assert HubPlace("ada/films", hub.branches["ada/films", "v2"]).read("program.json") == b"2"
    assert HubPlace("ada/films").read("program.json") == FILES["program.json"]


def test_a_large_file_is_checked_by_its_sha256(hub):
    hub.add("ada/films", {"program.json": b"x" * LARGE})
    assert HubPlace("ada/films").read("program.json") == b"x" * LARGE


@pytest.mark.parametrize("size", [8, LARGE])
@pytest.mark.parametrize("how", ["cut", "damaged"])
def test_half_a_download_is_none(hub, how, size):
    hub.add("ada/films", {"program.json": b"x" * size})
    setattr(hub, how, True)
    with pytest.raises(DamagedFileError, match="program.json of hf://ada/films did not come whole, and nothing was"):
        HubPlace("ada/films").read("program.json")


def test_a_file_that_no_program_has_is_not_fetched(hub, monkeypatch):
    monkeypatch.setattr("multihop.optimize.places.hub_place.SMALL", 7)
    hub.add("ada/films", FILES)
    with pytest.raises(DamagedFileError, match="program.json of hf://ada/films has more than 7 bytes"):
        HubPlace("ada/films").read("program.json")
    assert not [path for _, path in hub.asked if "resolve" in path]


def test_without_a_token_nothing_is_pushed(hub, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    with pytest.raises(InputError, match="the hub asks who pushes: log in with `hf auth login`, or set HF_TOKEN."):
        write(HubPlace("ada/films"))
    assert hub.private == {}


def test_a_private_repository_is_not_there_for_others(hub, monkeypatch):
    hub.add("ada/films", FILES, private=True)
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody")
    assert HubPlace("ada/films").look() is None
    with pytest.raises(InputError, match="the hub has no ada/films, or does not show it to you"):
        HubPlace("ada/films").read("program.json")


@pytest.mark.parametrize(
    ("token", "problem"),
    [
        (READER, "the token may not write to ada/films; take one with the right to write, or another OWNER."),
        ("hf_unknown", "the hub does not take the token; log in again with `hf auth login`, or set HF_TOKEN."),
    ],
)
def test_a_token_without_the_right_to_write(hub, monkeypatch, token, problem):
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(InputError) as caught:
        write(HubPlace("ada/films"))
    assert str(caught.value) == problem


def test_the_account_of_another(hub):
    with pytest.raises(InputError, match="the token may not write to bob/films"):
        write(HubPlace("bob/films"))


def test_who_was_faster_is_not_overwritten(hub):
    hub.add("ada/films", {})
    hub.before_commit = lambda: hub.add("ada/films", {"program.json": b"of another"})
    with pytest.raises(
        InputError, match="hf://ada/films was changed by somebody else meanwhile, and was left as it is"
    ):
        write(HubPlace("ada/films"))
    assert hub.files("ada/films") == {"program.json": b"of another"}


def test_a_repository_that_was_made_meanwhile(hub):
    place = HubPlace("ada/films")
    found = place.look()
    hub.add("ada/films", {})
    with pytest.raises(InputError, match="ada/films was made by somebody else meanwhile"):
        place.write(FILES, public=False, found=found, message="")


def test_a_card_that_the_hub_refuses(hub):
    hub.refused = '"license" must be one of [apache-2.0, mit]'
    with pytest.raises(
        InputError, match=r'refuses hf://ada/films, .* \(Invalid metadata in README.md. - "license" must be'
    ):
        write(HubPlace("ada/films"))


def test_a_hub_that_is_gone_is_one_sentence(monkeypatch):
    with ModelHub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
    with pytest.raises(
        InputError, match=r"the hub refuses hf://ada/films, or is not reached \(.+\); give the same command"
    ):
        HubPlace("ada/films").look()
