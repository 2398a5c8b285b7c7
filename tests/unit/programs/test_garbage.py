"""The garbage collector is paused while a module is read, and is then as it was. Our processes collect rarely."""

import gc
import subprocess
import sys

import pytest
from xdsl.utils.exceptions import ParseError

from xshardy.programs.garbage import collection_suspended
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


def test_frozen_objects_stay_frozen():
    """Those of the tests are: see `tests/conftest.py`."""
    with collection_suspended():
        pass
    assert gc.get_freeze_count()


MANY_RUNS = """
import gc, weakref
from xshardy.programs import garbage

class Node:
    pass

alive, most, others = weakref.WeakSet(), 0, len(gc.get_objects())
for _ in range(3 * others // 1000):
    with garbage.collection_suspended():
        for _ in range(1000):
            node = Node()
            node.itself = node
            alive.add(node)
    most = max(most, len(alive))
assert most <= others + 2000, most
"""


def test_garbage_of_many_runs_is_collected():
    """In a process of its own: how much it takes depends on the number of objects."""
    subprocess.run([sys.executable, "-c", MANY_RUNS], check=True)


def test_collections_are_rare_and_leave_out_what_there_is():
    """In a process of its own, which they are meant for."""
    counted = """
import gc
from xshardy.programs.garbage import collect_rarely
collect_rarely()
assert not gc.get_objects()
before = [generation["collections"] for generation in gc.get_stats()]
kept = [[] for _ in range(900_000)]
assert [generation["collections"] for generation in gc.get_stats()] == before
kept += [[] for _ in range(900_000)]
assert gc.get_stats()[0]["collections"] == before[0] + 1
"""
    subprocess.run([sys.executable, "-c", counted], check=True)
