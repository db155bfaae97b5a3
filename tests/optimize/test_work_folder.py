"""What a compile keeps beside its file: the count of its calls, and the note of what it is."""

import threading

import pytest
from full_disk import no_room_for

from multihop import DamagedFileError, InputError
from multihop.optimize.spending import Spending, Spent
from multihop.optimize.work_folder import WorkFolder


def test_every_call_is_in_the_ledger_before_the_next_and_the_count_goes_on(tmp_path):
    for before in range(3):
        with Spending(ledger=tmp_path / "calls") as spending:
            spending.add_usage("lm", {})
            assert (spending.before, spending.calls, spending.in_all) == (before, 1, before + 1)
            assert (tmp_path / "calls").stat().st_size == before + 1  # so a kill loses none
    spending.add_usage("lm", {})  # of a call that ends after the compile
    assert spending.calls == 2


def test_many_threads_and_two_counters_lose_no_call(tmp_path):
    counters = [Spending(ledger=tmp_path / "calls") for _ in range(2)]

    def call(counter):
        for _ in range(100):
            counter.add_usage("lm", {})

    threads = [threading.Thread(target=call, args=(counter,)) for counter in counters for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert [counter.calls for counter in counters] == [400, 400]
    assert Spending(ledger=tmp_path / "calls").before == 800


def test_calls_of_earlier_invocations_count_against_the_limit(tmp_path):
    with Spending(2, ledger=tmp_path / "calls") as spending, pytest.raises(Spent):
        for _ in range(5):
            spending.add_usage("lm", {})
    assert spending.calls == 2
    with Spending(2, ledger=tmp_path / "calls") as spending, pytest.raises(Spent):
        spending.check()
    with Spending(3, ledger=tmp_path / "calls") as spending:
        spending.check()
    with pytest.raises(InputError, match="cannot write .*calls: No such file"):
        Spending(ledger=tmp_path / "none" / "calls")


def test_on_a_full_disk_no_further_call_begins_and_none_is_forgotten(tmp_path):
    ledger = tmp_path / "calls"
    with Spending(ledger=ledger) as spending:
        spending.add_usage("lm", {})
        with no_room_for(1):
            spending.add_usage("lm", {})  # was paid: it is counted, whatever the disk says
            with pytest.raises(InputError, match=r"cannot write .*calls: File too large\."):
                spending.check()
            assert spending.calls == 2
        spending.check()
        assert ledger.read_bytes() == b".."


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
    beside = WorkFolder(tmp_path / "file" / "p.json")
    with pytest.raises(InputError, match=r"cannot write .*p\.json\.work"), beside.opened({}):
        pass
    work = WorkFolder(tmp_path / "p.json")
    with work.opened({"seed": 0}):
        pass
    (work.path / "study.json").write_text('{"seed": ')
    told = r"study\.json is damaged; remove .*p\.json\.work to begin again"
    with pytest.raises(DamagedFileError, match=told), work.opened({"seed": 0}):
        pass
