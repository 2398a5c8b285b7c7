"""What is rewritten for HLO text needs no rewrite again."""

from pathlib import Path

import numpy as np
import pytest

from xshardy.hlo_text import HLOPrintError, parse_hlo, print_hlo
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.syntax import parse_module
from xshardy.transforms.hlo.to_opcodes import HloToOpcodesPass, is_in_opcodes, write_hlo

PROGRAM = Path(__file__).parents[3] / "filecheck" / "hlo_text" / "in_opcodes.mlir"


def test_a_module_is_in_opcodes_after_the_rewrite():
    module = parse_module(PROGRAM.read_text())
    assert not is_in_opcodes(module)
    HloToOpcodesPass().rewrite_module(module)
    assert is_in_opcodes(module)


@pytest.mark.parametrize(("split", "concat"), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (1, 1)])
def test_an_all_to_all_between_dimensions_sends_the_same(split: int, concat: int):
    """Of two devices, which are not in the order of their numbers."""
    shape = [4, 6, 2]
    after = [*shape]
    after[split] //= 2
    after[concat] *= 2
    before, result = (f"tensor<{'x'.join(map(str, sizes))}xf32>" for sizes in (shape, after))
    text = f"""func.func public @main(%x: {before}) -> {result} {{
      %0 = "stablehlo.all_to_all"(%x) <{{split_dimension = {split} : i64, concat_dimension = {concat} : i64,
        split_count = 2 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}}> : ({before}) -> {result}
      return %0 : {result}
    }}"""
    arguments = [[np.random.default_rng(device).normal(size=shape).astype(np.float32)] for device in range(2)]
    wanted = evaluate_spmd(parse_module(text), arguments, replicas=2)
    printed = write_hlo(parse_module(text))
    assert printed.count("all-to-all(") == 1
    found = evaluate_spmd(parse_hlo(printed), arguments, replicas=2)
    np.testing.assert_array_equal(np.array(found), np.array(wanted))


@pytest.mark.parametrize(
    "operation",
    [
        "%0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>",
        "%0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {a = 1 : i32}} : "
        "(tensor<4x1xf32>) -> tensor<4x8xf32>",
    ],
)
def test_the_printer_does_not_rewrite(operation: str):
    module = parse_module(f"func.func @main(%x: tensor<4x1xf32>) -> tensor<4x8xf32> {{ {operation}\n"
                          "return %0 : tensor<4x8xf32> }")  # fmt: skip
    with pytest.raises(HLOPrintError, match="in other terms: run hlo-to-opcodes first"):
        print_hlo(module)
    assert write_hlo(module)
