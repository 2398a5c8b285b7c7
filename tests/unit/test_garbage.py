"""The garbage collector is paused while a module is read, and is then as it was."""

import gc

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
