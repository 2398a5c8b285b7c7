"""Which tensor `xshardy explain --value` means: whatever `shard` and `explain` print, a name, or a place."""

import pytest
from sharded_programs import sharded_text

from xshardy.programs.errors import InputError
from xshardy.programs.sharded import Sharded
from xshardy.tools.explain.picking import named_value
from xshardy.tools.explain.story import value_name
from xshardy.tools.shard import placements

TEXT = """sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>} loc("p['emb']")) -> tensor<8xf32> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = func.call @twice(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1:2 = stablehlo.while(%i = %n, %y = %0#1) : tensor<i32>, tensor<8xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %3 = stablehlo.negate %y : tensor<8xf32> loc("/home/me/model.py":42:7)
    stablehlo.return %i, %3 : tensor<i32>, tensor<8xf32>
  }
  %4:2 = func.call @twice(%1#1) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %4#1 : tensor<8xf32>
}
func.func private @twice(%y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.add %y, %y : tensor<8xf32>
  return %y, %0 : tensor<8xf32>, tensor<8xf32>
}
"""


@pytest.fixture(scope="module")
def program() -> Sharded:
    return sharded_text(TEXT, "text")


def test_what_shard_prints_is_accepted(program: Sharded):
    names = [placement.name for placement in placements(program)]
    assert len(names) > 5
    for name in names:
        assert value_name(program, named_value(program, name, "text")) == name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("%1#1", "%1#1 (line 5)"),
        ("%3", "%3 (model.py:42)"),
        ("line 10", "%3 (model.py:42)"),
        ("model.py:42", "%3 (model.py:42)"),
        ("line 17", "%0 (line 17)"),
        ("%0 (line 17)", "%0 (line 17)"),
        ("p['emb']", "argument 0 (p['emb'])"),
        ("%x", "argument 0 (p['emb'])"),
        ("%0", "%0#0 (line 4)"),  # not %0 of the function that is called
        ("%n", "%n (line 3)"),  # one of the copies for its uses
        ("%0 (line 17) in the call of @twice (line 13)", "%0 (line 17) in the call of @twice (line 13)"),
        ("result 0 of @main", "result 0 of @main"),
    ],
)
def test_a_name_or_a_place(name: str, meant: str, program: Sharded):
    assert value_name(program, named_value(program, name, "text")) == meant


def test_several_tensors_are_listed(program: Sharded):
    with pytest.raises(InputError, match=r'line 5 is 2 tensors, .*\n  %1#0 \(line 5\): .*\n  %1#1 \(line 5\): \[{"a"'):
        named_value(program, "line 5", "text")


@pytest.mark.parametrize("name", ["%9", "line 99", "%3 (line 1)", "model.py:1", "argument 3 (%z)", "%0#2"])
def test_nothing_has_that_name(name: str, program: Sharded):
    with pytest.raises(InputError, match=r"there is no tensor .* after propagation"):
        named_value(program, name, "text")


def test_many_tensors_are_counted():
    lines = "\n".join(f'  %{n} = stablehlo.abs %x : tensor<8xf32> loc("m.py":1:1)' for n in range(15))
    returned = ", ".join(f"%{n}" for n in range(15)), ", ".join(["tensor<8xf32>"] * 15)
    text = f"func.func @f(%x: tensor<8xf32>) -> ({returned[1]}) {{\n{lines}\n  return {returned[0]} : {returned[1]}\n}}"
    with pytest.raises(InputError, match=r"m.py:1 is 15 tensors(.|\n)*%9 (.*): no sharding\n  and 5 more$"):
        named_value(sharded_text(text, "text"), "m.py:1", "text")
