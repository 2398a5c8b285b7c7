"""Processes that run together: one that is lost ends the others."""

import sys
import time
from pathlib import Path

import pytest

from xshardy.engines.pjrt.cluster import LOOPBACK, address_of, join, own_address
from xshardy.engines.pjrt.engine import devices_per_process
from xshardy.engines.pjrt.processes import ProcessError, free_port, run_together
from xshardy.programs.errors import EngineError

SLEEP = (sys.executable, "-c", "import time; time.sleep(60)")


def python(code: str) -> tuple[str, ...]:
    return sys.executable, "-c", code


def test_all_end():
    run_together([python("pass")] * 2)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "import sys; print('out of memory', file=sys.stderr); sys.exit(3)",
            "status 3, after it wrote:\nout of memory",
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGABRT)", "process 1 of 2 was ended by SIGABRT"),
    ],
)
def test_a_lost_process_ends_the_others(code: str, message: str):
    start = time.monotonic()
    with pytest.raises(ProcessError, match=message):
        run_together([SLEEP, python(code)])
    assert time.monotonic() - start < 30


def test_a_run_is_given_up():
    with pytest.raises(EngineError, match=r"no result after 0.2 s: processes 0, 1 of 2 still ran"):
        run_together([SLEEP, SLEEP], time_out=0.2)


@pytest.mark.parametrize("text", ["", "host", ":80", "host:", "host:x", "host:0", "host:70000"])
def test_a_coordinator_is_a_host_and_a_port(text: str):
    with pytest.raises(EngineError, match="expected HOST:PORT"):
        address_of(text)


def test_the_least_and_the_largest_port():
    assert address_of("10.0.0.1:65535") == ("10.0.0.1", 65535)
    assert address_of("localhost:1") == ("localhost", 1)


@pytest.mark.parametrize("number", [-1, 2])
def test_a_process_has_a_number_below_their_count(number: int):
    with pytest.raises(EngineError, match=f"process id {number}: 2 processes have numbers 0 to 1"):
        join("127.0.0.1:8476", 2, number, 1)


@pytest.mark.parametrize("processes", [0, 3])
def test_devices_are_divided_evenly_among_processes(processes: int):
    with pytest.raises(EngineError, match=f"4 devices cannot be divided among {processes} processes"):
        devices_per_process(4, processes)
    assert devices_per_process(4, 2) == 2


def test_the_last_process_is_waited_for(tmp_path: Path):
    run_together([python("pass"), python(f"import time; time.sleep(0.5); open({str(tmp_path / 'ended')!r}, 'w')")])
    assert (tmp_path / "ended").exists()


def test_the_last_lines_that_a_lost_process_wrote_are_shown():
    assert str(ProcessError(0, 1, 1, "one\n\ntwo\n \nthree\nfour\n\n")) == (
        "the process of the devices ended with status 1, after it wrote:\ntwo\nthree\nfour"
    )


def test_processes_of_this_machine_stay_on_the_loopback_interface():
    assert own_address("localhost", free_port()) == own_address("127.0.0.1", 80) == LOOPBACK
