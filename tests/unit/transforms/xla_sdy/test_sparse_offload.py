"""Which arguments of offloaded functions get a barrier, by the shardings of their constraint and of the operands."""

import pytest
from xdsl.dialects.func import FuncOp

from xshardy.syntax import parse_module
from xshardy.transforms.xla_sdy.sparse_offload import guarded_arguments

MESH = 'sdy.mesh @mesh = <["a"=2, "b"=2]>\n'
OFFLOADED = '{_xla_compute_type = "sparseoffload"}'
T = "tensor<8x8xf32>"


def sharded(dims: str) -> str:
    return f"#sdy.sharding<@mesh, {dims}>"


def module_of(*, inside: str | None, outside: str | None, call: str = OFFLOADED, constrained: bool = True) -> str:
    """A call of @f, whose argument has a constraint."""
    of_argument = f" {{sdy.sharding = {sharded(outside)}}}" if outside else ""
    of_result = f" {{sdy.sharding = #sdy.sharding_per_value<[{sharded(inside)[13:]}]>}}" if inside else ""
    constraint = f"stablehlo.custom_call @{'Sharding' if constrained else 'Other'}(%x){of_result} : ({T}) -> {T}"
    return (
        f"{MESH}func.func @main(%x: {T}{of_argument}) -> {T} {{\n  %0 = call @f(%x) {call} : ({T}) -> {T}\n"
        f"  return %0 : {T}\n}}\nfunc.func private @f(%x: {T}) -> {T} {{\n  %0 = {constraint}\n  return %0 : {T}\n}}"
    )


def is_guarded(text: str) -> bool:
    module = parse_module(text)
    module.verify()
    found = guarded_arguments(module)
    assert all(f.sym_name.data == "f" for f in found)
    return any(found.values())


@pytest.mark.parametrize(
    ("outside", "inside", "guarded"),
    [
        ('[{"a"}, {}]', '[{"a"}, {}]', True),  # no slicing is needed
        ('[{"a"}, {}]', "[{}, {}]", True),
        ("[{}, {}]", '[{"a"}, {}]', False),  # the function would slice the argument
        ('[{"a"}, {}]', '[{"b"}, {}]', True),
        ('[{"a"}, {}]', '[{"a"}, {"b"}]', False),
        (None, '[{"a"}, {}]', False),
        (None, "[{}, {}]", True),
        ("[{}, {}]", '[{}, {}], unreduced={"a"}', False),
        ("[{}, {}]", None, True),
        (None, None, True),
    ],
)
def test_a_constraint_that_slices_is_propagated(outside: str | None, inside: str | None, guarded: bool):
    assert is_guarded(module_of(inside=inside, outside=outside)) == guarded


def test_only_constraints_in_offloaded_functions_are_guarded():
    frontend = '{mhlo.frontend_attributes = {_xla_compute_type = "sparseoffload"}}'
    other = '{_xla_compute_type = "host"}'
    assert is_guarded(module_of(inside="[{}, {}]", outside=None, call=frontend))
    assert not is_guarded(module_of(inside="[{}, {}]", outside=None, call=other))
    assert not is_guarded(module_of(inside="[{}, {}]", outside=None, call=""))
    assert not is_guarded(module_of(inside="[{}, {}]", outside=None, constrained=False))


def test_one_call_that_needs_slicing_is_enough():
    text = module_of(inside='[{"a"}, {}]', outside='[{"a"}, {}]')
    other = f"func.func @other(%x: {T}) -> {T} {{\n  %0 = call @f(%x) : ({T}) -> {T}\n  return %0 : {T}\n}}"
    assert is_guarded(text)
    assert not is_guarded(f"{text}\n{other}")


def test_a_declaration_has_no_arguments_to_guard():
    module = parse_module(
        f"func.func @main(%x: {T}) -> {T} {{\n  %0 = call @f(%x) {OFFLOADED} : ({T}) -> {T}\n  return %0 : {T}\n}}\n"
        f"func.func private @f({T}) -> {T}"
    )
    assert guarded_arguments(module) == {}
    assert any(isinstance(op, FuncOp) for op in module.ops)
