"""Files of earlier versions, with settings that programs no longer have."""

import warnings

import pytest
from forging import forge

from multihop import Direct, InputError, create, load, save


def with_settings(path, **settings):
    forge(path, lambda content, ours: ours["settings"].update(settings))


@pytest.fixture
def path(tmp_path):
    save(Direct(retries=1), tmp_path / "direct.json")
    return tmp_path / "direct.json"


def told(path, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = load(path, **options)
    return program, [str(each.message) for each in caught]


def test_settings_that_are_gone_are_left_out_with_one_warning_and_others_are_refused(path):
    assert told(path)[1] == []
    with pytest.raises(InputError, match="unknown setting of 'direct' in .*direct.json 'grounds'"):
        load(path, settings={"grounds": True})
    with_settings(path, grounds=False)
    assert told(path)[1] == [f"{path} gives a setting that is gone and is left out: 'grounds' (docs/versions.md)."]
    with_settings(path, grounds=True, abstain_below=0.5, calibration=None)
    program, warned = told(path)
    assert program.settings == Direct(retries=1).settings
    gone = "'grounds', 'abstain_below' and 'calibration'"
    assert warned == [f"{path} gives settings that are gone and are left out: {gone} (docs/versions.md)."]
    with_settings(path, garden=True)
    with pytest.raises(InputError, match="unknown setting of 'direct' in .*direct.json 'garden'"):
        told(path)


def test_a_rule_that_is_gone_is_left_out_of_those_that_end_or_prune_a_search(tmp_path):
    save(create("tor", lambda query, k: []), tmp_path / "tor.json")
    gone = {"stops": ["repeats", "settled"], "pruning": ["relevance", "semantic"], "stop_after": None}
    with_settings(tmp_path / "tor.json", **gone)
    program, warned = told(tmp_path / "tor.json", retriever=lambda query, k: [])
    assert (program.stops, program.pruning) == (("repeats",), ("relevance",))
    assert warned == [
        f"{tmp_path / 'tor.json'} gives settings that are gone and are left out: "
        "'stop_after', 'settled' of 'stops' and 'semantic' of 'pruning' (docs/versions.md)."
    ]
