"""Operations like one that was verified: what differs, or is not remembered, is still verified."""

from pathlib import Path
from typing import ClassVar

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import DenseArrayBase, TensorType, f32, i32, i64
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, traits_def
from xdsl.traits import HasParent
from xdsl.utils.exceptions import ParseError, VerifyException

from xshardy.dialects.alike_verification import PACKAGES, READ_DEFINITIONS, AlikeVerification, rest_of_verification
from xshardy.dialects.discardable import verify
from xshardy.dialects.stablehlo.shape import TransposeOp
from xshardy.syntax import parse_module
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context

DIALECTS = Path(__file__).parents[2] / "filecheck" / "dialects"


class _DefinitionRead(Exception):
    """`verify_` looked at more than types and attributes."""


def _reading(self: object) -> object:
    raise _DefinitionRead


def programs(dialect: str) -> list[Operation]:
    """What can be parsed of the FileCheck inputs of a dialect."""
    found: list[Operation] = []
    for path in sorted((DIALECTS / dialect).rglob("*.mlir")):
        for text in path.read_text().split("// -----"):
            try:
                found.append(Parser(new_context(), text).parse_module())
            except (ParseError, VerifyException):
                continue
    return found


@pytest.mark.parametrize("dialect", [package.split(".")[-2] for package in PACKAGES])
def test_verification_reads_types_and_attributes_only(dialect: str, monkeypatch: pytest.MonkeyPatch):
    """So it is the same for operations that are alike. Those that read definitions are listed."""
    ops = [op for module in programs(dialect) for op in module.walk() if op.name.startswith(f"{dialect}.")]
    ops = [op for op in ops if not op.regions and rest_of_verification(type(op)) is not None]
    for owner, name in (
        (OpResult, "owner"),
        (BlockArgument, "owner"),
        (SSAValue, "uses"),
        (Operation, "parent_op"),
        (Operation, "parent_block"),
        (Operation, "parent_region"),
        (Block, "parent_op"),
    ):
        monkeypatch.setattr(owner, name, property(_reading))
    read_definitions = set[str]()
    for op in ops:
        try:
            op.verify_()
        except _DefinitionRead:
            read_definitions.add(op.name)
        except VerifyException:
            continue
    assert len({op.name for op in ops}) > 30
    assert read_definitions <= READ_DEFINITIONS
    assert dialect != "stablehlo" or len(read_definitions) > 3


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('"stablehlo.add"(%x, %i) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>', "same element type"),
        ('"stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>', "tensor<3xf32>"),
        ('"stablehlo.add"(%x) : (tensor<2xf32>) -> tensor<2xf32>', "Expected 2 operands"),
        (
            '"stablehlo.add"(%x, %x) {sdy.sharding = 1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
            "sharding",
        ),
        ('"stablehlo.add"(%x, %x) <{a = 1}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', "property 'a'"),
        (
            '"stablehlo.transpose"(%m) <{permutation = array<i64: 0, 0>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>',
            "permutation",
        ),
        (
            "%s = stablehlo.constant dense<[3, 1]> : tensor<2xi32>\n"
            '"stablehlo.dynamic_reshape"(%x2, %s) : (tensor<?xf32>, tensor<2xi32>) -> tensor<1x3xf32>',
            "output shape",
        ),
    ],
)
def test_what_differs_is_verified(second: str, message: str):
    """The operations before it are right."""
    with pytest.raises(VerifyException, match=message):
        verify(
            Parser(
                new_context(),
                f"""
                func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>, %x2: tensor<?xf32>, %m: tensor<2x2xf32>) {{
                  %0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
                  %t = "stablehlo.transpose"(%m) <{{permutation = array<i64: 1, 0>}}>
                    : (tensor<2x2xf32>) -> tensor<2x2xf32>
                  %s1 = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
                  %1 = "stablehlo.dynamic_reshape"(%x2, %s1) : (tensor<?xf32>, tensor<2xi32>) -> tensor<1x3xf32>
                  %2 = {second}
                  return
                }}
                """.replace("%2 = %s", "%s"),
            ).parse_module()
        )


def test_the_name_of_a_property_is_verified():
    """The two operations have the same objects, in properties of other names."""
    value = test.TestOp(result_types=[TensorType(f32, [2, 2])]).results[0]
    order = DenseArrayBase.from_list(i64, [1, 0])
    right, wrong = (
        TransposeOp.create(operands=[value], result_types=[value.type], properties={name: order})
        for name in ("permutation", "order")
    )
    verification = AlikeVerification()
    verification.verify(right)
    with pytest.raises(VerifyException, match="property 'permutation' expected"):
        verification.verify(wrong)


@irdl_op_definition
class CountedOp(IRDLOperation):
    """An operation of another project, whose `verify_` may read anything."""

    name = "other.counted"
    value = operand_def()
    SEEN: ClassVar[list[Operation]] = []

    def verify_(self) -> None:
        self.SEEN.append(self)


@irdl_op_definition
class PlacedOp(IRDLOperation):
    """An operation with a trait that verifies where it is."""

    name = "other.placed"
    value = operand_def()
    traits = traits_def(HasParent(test.TestOp))


def test_the_verification_of_other_dialects_runs_each_time():
    value = test.TestOp(result_types=[i32]).results[0]
    ops = [CountedOp.create(operands=[value]) for _ in range(3)]
    verification = AlikeVerification()
    CountedOp.SEEN.clear()
    for op in ops:
        verification.verify(op)
    assert ops == CountedOp.SEEN


def test_traits_that_verify_a_place_do_so_each_time():
    module = parse_module("module {}")
    value = test.TestOp(result_types=[i32]).results[0]
    inside, outside = PlacedOp.create(operands=[value]), PlacedOp.create(operands=[value])
    test.TestOp(regions=[[Block([inside])]])
    module.body.block.add_op(outside)
    verification = AlikeVerification()
    verification.verify(inside)
    with pytest.raises(VerifyException, match="expects parent op"):
        verification.verify(outside)
