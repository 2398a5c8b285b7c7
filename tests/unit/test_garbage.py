"""The garbage collector is paused while a module is read, and is then as it was."""

import gc
import weakref

import pytest
from xdsl.utils.exceptions import ParseError

from xshardy.garbage import collection_suspended
from xshardy.syntax import parse_module


def test_paused_and_as_it_was():
    assert gc.isenabled()
    with collection_suspended():
        assert not gc.isenabled()
        with collection_suspended():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_after_an_error():
    with pytest.raises(ParseError):
        parse_module("%0 = nonsense")
    assert gc.isenabled()


def test_reading_leaves_no_garbage():
    text = "".join(f'%{i} = "test.op"() {{n = [{i}]}} : () -> tensor<{i}xi32>\n' for i in range(1000))
    parse_module(text)
    gc.collect()
    module = parse_module(text)
    assert gc.collect() < len(module.body.block.ops)


def test_young_collections_do_not_traverse_what_was_built():
    gc.collect()
    with collection_suspended():
        built = [[index] for index in range(10_000)]
    assert not any(entry is built[0] for entry in gc.get_objects(generation=0))
    assert any(entry is built[0] for entry in gc.get_objects(generation=2))


def test_frozen_objects_stay_frozen():
    gc.freeze()
    try:
        with collection_suspended():
            pass
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()


def test_garbage_of_many_runs_is_collected(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("xshardy.garbage.LEAST_BUILT", 2000)
    gc.collect()

    class Node:
        pass

    alive: weakref.WeakSet[Node] = weakref.WeakSet()
    others = len(gc.get_objects())
    most = 0
    for _ in range(3 * others // 1000):
        with collection_suspended():
            for _ in range(1000):
                node = Node()
                node.itself = node  # pyright: ignore[reportAttributeAccessIssue]
                alive.add(node)
        most = max(most, len(alive))
    assert most <= others + 2000
