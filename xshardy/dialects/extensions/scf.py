"""What upstream's `scf` dialect has and xDSL's lacks."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, i64
from xdsl.ir import Dialect, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    HasParent,
    IsTerminator,
    NoTerminator,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
)
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.extensions import extended


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """The end of the body of an `scf.forall`: the contributions of each thread to the results."""

    name = "scf.forall.in_parallel"
    region = region_def("single_block")
    traits = lazy_traits_def(lambda: (IsTerminator(), NoTerminator(), HasParent(ForallOp)))
    assembly_format = "$region attr-dict"

    def __init__(self, region: Region):
        super().__init__(regions=[region])


@irdl_op_definition
class ForallOp(IRDLOperation):
    """
    A loop nest whose iterations are independent: its body runs for each point of a box, in any order.

    The body has an argument for each dimension of the box, then one for each of the `shared_outs`, whose final values
    are the results. A bound is an integer, or an operand where the integer is `DYNAMIC_INDEX`.
    """

    name = "scf.forall"
    dynamic_lower_bound = var_operand_def(IndexType)
    dynamic_upper_bound = var_operand_def(IndexType)
    dynamic_step = var_operand_def(IndexType)
    outputs = var_operand_def()
    static_lower_bound = prop_def(DenseArrayBase.constr(i64), prop_name="staticLowerBound")
    static_upper_bound = prop_def(DenseArrayBase.constr(i64), prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase.constr(i64), prop_name="staticStep")
    mapping = opt_prop_def(ArrayAttr)
    results_ = var_result_def()
    region = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable(), SingleBlockImplicitTerminator(InParallelOp))

    def __init__(
        self,
        lower: tuple[Sequence[SSAValue], Sequence[int]],
        upper: tuple[Sequence[SSAValue], Sequence[int]],
        step: tuple[Sequence[SSAValue], Sequence[int]],
        outputs: Sequence[SSAValue],
        region: Region,
        mapping: ArrayAttr | None = None,
    ):
        """Each bound is given as its operands and its integers."""
        super().__init__(
            operands=[lower[0], upper[0], step[0], outputs],
            properties={
                "staticLowerBound": DenseArrayBase.from_list(i64, lower[1]),
                "staticUpperBound": DenseArrayBase.from_list(i64, upper[1]),
                "staticStep": DenseArrayBase.from_list(i64, step[1]),
                "mapping": mapping,
            },
            result_types=[[value.type for value in outputs]],
            regions=[region],
        )

    @property
    def rank(self) -> int:
        """The number of dimensions of the box."""
        return len(self.static_upper_bound)

    def verify_(self) -> None:
        if not len(self.static_lower_bound) == self.rank == len(self.static_step):
            raise VerifyException("the lower bounds, the upper bounds and the steps must be equally many")
        expected = (*(IndexType() for _ in range(self.rank)), *self.outputs.types)
        if tuple(self.region.block.arg_types) != expected:
            raise VerifyException(f"the body must have the arguments ({', '.join(map(str, expected))})")


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations of this module."""
    return extended(dialect, (ForallOp, InParallelOp))
