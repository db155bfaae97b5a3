import pytest

from multihop import InputError
from multihop.optimize.places.opening import is_place, open_place


@pytest.mark.parametrize(
    ("text", "revision", "address", "title"),
    [
        ("hf://ada/films", None, "hf://ada/films", "films"),
        ("hf://ada/films@v2", None, "hf://ada/films@v2", "films"),
        ("hf://ada/films", "refs/pr/1", "hf://ada/films@refs/pr/1", "films"),
        ("hf://ada/films@v2", "v2", "hf://ada/films@v2", "films"),
        ("file:shared/films", None, "file:shared/films", "films"),
        ("file:///srv/shared/films/", None, "file:/srv/shared/films/", "films"),
    ],
)
def test_a_place_as_it_is_written(text, revision, address, title):
    place = open_place(text, revision)
    assert is_place(text)
    assert (place.address, place.title) == (address, title)


@pytest.mark.parametrize(
    ("text", "revision", "problem"),
    [
        ("ada/films", None, "'ada/films' is no place to share at; write hf://OWNER/NAME, or file:FOLDER."),
        ("hf://films", None, "'hf://films' is no place to share at; write hf://OWNER/NAME, or file:FOLDER."),
        ("hf://ada/films/v2", None, "'hf://ada/films/v2' is no place to share at"),
        ("hf://ada/films@", None, "'' is no revision; write a branch, a tag or a commit, such as main."),
        ("hf://ada/films@v1", "v2", "hf://ada/films@v1 and --revision v2 name two revisions; give one of them."),
        ("hf://ada/films", "a b", "'a b' is no revision"),
        ("file:", None, "file: is followed by a folder, as in file:shared/films."),
        ("file:films", "v2", "a folder has no revisions; --revision is for hf://OWNER/NAME."),
    ],
)
def test_what_is_no_place(text, revision, problem):
    with pytest.raises(InputError) as caught:
        open_place(text, revision)
    assert problem in str(caught.value)
