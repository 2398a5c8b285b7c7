"""`xshardy.jax.start`: one process, or one of several."""

import pytest

from xshardy.jax import start


@pytest.mark.parametrize(
    ("given", "joins"),
    [
        ({}, False),
        ({"processes": 2}, False),
        ({"coordinator": "localhost:1234"}, False),
        ({"coordinator": "localhost:1234", "processes": 2, "process_id": 1}, True),
    ],
)
def test_several_processes_with_a_coordinator_are_joined(
    given: dict[str, object], joins: bool, monkeypatch: pytest.MonkeyPatch
):
    called: list[str] = []
    monkeypatch.setitem(start.__globals__, "start_jax", lambda *_: called.append("start_jax"))
    monkeypatch.setitem(start.__globals__, "join", lambda *_, **__: called.append("join"))
    start(4, **given)  # pyright: ignore[reportArgumentType]
    assert called == ["join" if joins else "start_jax"]
