import pytest

from multihop import DamagedFileError, InputError
from multihop.optimize.work_folder import WorkFolder


def test_one_process_works_in_it_at_a_time(tmp_path):
    with (
        WorkFolder(tmp_path / "p.json").opened({"seed": 0}),
        pytest.raises(InputError, match=r"another process is working on .*p\.json\.work"),
        WorkFolder(tmp_path / "p.json").opened({"seed": 0}),
    ):
        pass
    with WorkFolder(tmp_path / "p.json").opened({"seed": 0}) as work:
        assert work.path.is_dir()


def test_the_work_of_something_else_is_refused_and_set_free_again(tmp_path):
    with WorkFolder(tmp_path / "p.json").opened({"seed": 0, "steps": False}):
        pass
    for _ in range(2):
        with (
            pytest.raises(InputError, match="holds another compile's work: seed changed; choose another file"),
            WorkFolder(tmp_path / "p.json").opened({"seed": 1, "steps": False}),
        ):
            pass


def test_a_folder_that_cannot_be_made_and_a_damaged_note_are_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot work in"), WorkFolder(tmp_path / "file" / "p.json").opened({}):
        pass
    work = WorkFolder(tmp_path / "p.json")
    with work.opened({"seed": 0}):
        pass
    (work.path / "study.json").write_text('{"seed": ')
    told = r"study\.json is damaged; remove .*p\.json\.work to begin again"
    with pytest.raises(DamagedFileError, match=told), work.opened({"seed": 0}):
        pass
