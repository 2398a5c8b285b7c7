"""`xshardy.jax.start`: one process, or one of several."""

from importlib import import_module

import pytest

MODULE = import_module("xshardy.jax.start")
"""The package has the function under this name."""


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
    monkeypatch.setattr(MODULE, "start_jax", lambda *_: called.append("start_jax"))
    monkeypatch.setattr(MODULE, "join", lambda *_, **__: called.append("join"))
    MODULE.start(4, **given)  # pyright: ignore[reportArgumentType]
    assert called == ["join" if joins else "start_jax"]
