"""Which dimensions of custom calls may be sharded when a program becomes local."""

import pytest

from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.universe import new_context

MESH = 'sdy.mesh @mesh = <["a"=2]>\n'
RANK = 3

WHOLE_DIMENSIONS = {
    **dict.fromkeys(("annotate_device_placement", "MoveToDevice", "MoveToHost", "LayoutConstraint"), 0),
    **dict.fromkeys(("X64Combine", "X64SplitHigh", "X64SplitLow", "xla.megascale.provide_metadata"), 0),
    "mhlo.erf": 0,
    "mhlo.topk": 1,
    **dict.fromkeys(("Cholesky", "Eigh", "ProductOfElementaryHouseholderReflectors", "Qr"), 2),
}
"""How many last dimensions each device needs whole: none for what works on elements, two for matrices."""


VECTORS = {"Eigh": (0, 1), "Qr": (0, 1), "ProductOfElementaryHouseholderReflectors": (1, 0)}
"""How many more operands and results a call has, each with one dimension less."""


def call(target: str, dim: int | None, attributes: str = "") -> str:
    """A call of `target` with tensors that are sharded along `dim`, as far as they have it."""
    dims = ['{"a"}' if index == dim else "{}" for index in range(RANK)]
    matrix, vector = ("tensor<4x4x4xf32>", f"[{', '.join(dims)}]"), ("tensor<4x4xf32>", f"[{', '.join(dims[:2])}]")
    operands, results = ([matrix, *[vector] * count] for count in VECTORS.get(target, (0, 0)))
    arguments = ", ".join(
        f"%x{index}: {type} {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"
        for index, (type, sharding) in enumerate(operands)
    )
    names = ", ".join(f"%x{index}" for index in range(len(operands)))
    shardings = ", ".join(f"<@mesh, {sharding}>" for _, sharding in results)
    types = [", ".join(type for type, _ in values) for values in (operands, results)]
    return (
        f"{MESH}func.func @f({arguments}) {{\n  %0:{len(results)} = stablehlo.custom_call @{target}({names}) "
        f"{{sdy.sharding = #sdy.sharding_per_value<[{shardings}]>{attributes}}} : ({types[0]}) -> ({types[1]})\n"
        "  return\n}"
    )


def localized(text: str) -> str:
    module = parse_module(text)
    ConvertGlobalToLocalPass().apply(new_context(), module)
    return print_module(module)


@pytest.mark.parametrize("target", WHOLE_DIMENSIONS)
@pytest.mark.parametrize("dim", range(RANK))
def test_a_device_has_parts_of_batches_only(target: str, dim: int):
    if dim < RANK - WHOLE_DIMENSIONS[target]:
        shape = "x".join("2" if index == dim else "4" for index in range(RANK))
        assert f"(tensor<{shape}xf32>" in localized(call(target, dim)).partition("custom_call")[2]
    else:
        with pytest.raises(OperationFailedException, match=f"@{target} has a sharded dimension {dim}, which it needs"):
            localized(call(target, dim))


def test_a_known_target_with_other_results_has_parts_of_batches():
    """Shardy has no rule for it, but its last dimensions are all that it needs whole."""
    one_result = call("Cholesky", 0).replace("Cholesky", "Eigh")
    assert "(tensor<2x4x4xf32>) -> tensor<2x4x4xf32>" in localized(one_result).partition("@Eigh")[2]


def test_a_known_target_may_have_no_operands():
    text = f"""{MESH}func.func @f() -> (tensor<4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}]>}}) {{
      %0 = stablehlo.custom_call @xla.megascale.provide_metadata()
        {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}]>]>}} : () -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }}"""
    assert "@xla.megascale.provide_metadata" in localized(text)
    with pytest.raises(OperationFailedException, match="has a sharded dimension 0, which it needs whole"):
        localized(text.replace("[{}]", '[{"a"}]'))


def test_unknown_code_gets_whole_tensors_only():
    with pytest.raises(OperationFailedException, match="@unknown is not known to work on parts"):
        localized(call("unknown", 0))
    assert "tensor<4x4x4xf32>" in localized(call("unknown", None))


def test_a_rule_on_the_call_says_that_it_works_on_parts():
    rule = ", sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=4, k=4}, custom>"
    assert "(tensor<2x4x4xf32>) -> tensor<2x4x4xf32>" in localized(call("unknown", 0, rule))
