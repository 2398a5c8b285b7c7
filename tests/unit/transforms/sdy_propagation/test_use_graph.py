"""Dependents of values and removal of dead operations, by the numbers of operations in text order."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.rewriting.walk import operations_in
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.syntax import parse_module
from xshardy.transforms.sdy_propagation.module_program import ModuleProgram, program_of

T, S = "tensor<8xf32>", "tensor<f32>"


def program(body: str) -> tuple[ModuleOp, ModuleProgram]:
    module = parse_module(f"func.func @main(%x: {T}, %y: {T}, %s: {S}, %p: tensor<i32>) {{\n{body}\n  return\n}}")
    return module, program_of(module, ShardingRules())


def named(module: ModuleOp, name: str) -> Operation:
    return next(op for op in operations_in(module) if any(result.name_hint == name for result in op.results))


def dependents(body: str, name: str) -> tuple[list[str], list[str]]:
    """The names of the operations to enqueue and of those to mark dirty, when the value `name` changes."""
    module, numbered = program(body)
    number = numbered.numbering.value(named(module, name).results[0])
    ops = numbered.numbering.ops

    def names(numbers: Sequence[int]) -> list[str]:
        return [f"{'' if op >= 0 else '~'}{ops[op if op >= 0 else ~op].results[0].name_hint}" for op in numbers]

    to_enqueue, dirty = numbered.uses.dependents(number)
    return names(to_enqueue), names(dirty)


def test_latest_uses_come_first():
    body = f"%a = stablehlo.negate %x : {T}\n%b = stablehlo.negate %a : {T}\n%c = stablehlo.cosine %a : {T}"
    assert dependents(body, "a") == (["a", "c", "b"], ["a", "c", "b"])


def in_reduction(attributes: str) -> str:
    return f"""
      %r = stablehlo.reduce(%x init: %s) across dimensions = [0] : ({T}, {S}) -> {S}
      reducer(%l: {S}, %e: {S}) {{
        %a = stablehlo.add %l, %e {attributes} : {S}
        stablehlo.return %a : {S}
      }}"""


def test_operations_around_a_value_are_enqueued_and_not_dirty():
    for attributes in ("", "{note}"):
        assert dependents(in_reduction(attributes), "a") == (["a", "~r", "r"], ["a", "r"])


def test_an_operation_is_removed_once():
    module, numbered = program(f"%a = stablehlo.negate %x : {T}")
    number = numbered.numbering.operations[named(module, "a")]
    assert numbered.uses.remove_if_dead(number) is not None
    assert numbered.uses.remove_if_dead(number) is None
    assert [*numbered.uses.dead] == [named(module, "a")]


def test_what_only_a_dead_operation_reads_in_its_regions_is_dead():
    module, numbered = program(f"""
      %a = stablehlo.negate %x : {T}
      %d = "stablehlo.case"(%p) ({{
        %b = stablehlo.add %a, %y : {T}
        stablehlo.return %b : {T}
      }}) : (tensor<i32>) -> {T}""")
    operations = numbered.numbering.operations
    a, b, d = (operations[named(module, name)] for name in "abd")
    removed = numbered.uses.remove_if_dead(d)
    assert removed is not None
    assert {*removed.removed} == {b, d} and [*removed.candidates] == [a]


def test_readers_of_what_a_loop_carries_become_dirty():
    """They are in its body: the argument there and the result of the loop are one value."""
    body = f"""
      %w = "stablehlo.while"(%x) ({{
      ^bb0(%c: {T}):
        %t = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %t : tensor<i1>
      }}, {{
      ^bb0(%d: {T}):
        %n = stablehlo.negate %d : {T}
        stablehlo.return %n : {T}
      }}) : ({T}) -> {T}
      %a = stablehlo.cosine %w : {T}"""
    assert dependents(body, "w") == (["w", "a"], ["w", "a", "n"])
