"""Which canonicalization patterns the class of an operation brings along."""

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait
from xdsl.transforms.canonicalization_patterns.cf import AssertTrue

from xshardy.transforms.canonicalize import brought_along


def names(op_type: type[Operation]) -> list[str]:
    return [type(pattern).__name__ for pattern in brought_along(op_type)]


def test_folds_and_patterns_of_ours_replace_those_of_xdsl():
    for op_type in (arith.SubfOp, scf.ForOp):
        assert op_type.get_traits_of_type(HasCanonicalizationPatternsTrait), "has no patterns to replace"
    assert names(arith.SubfOp) == names(scf.ForOp) == names(UnregisteredOp.with_name("a.b")) == []
    assert names(cf.AssertOp) == ["AssertTrue"]


class PatternsOfAssertions(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (AssertTrue(),)


@irdl_op_definition
class NoAssertionOp(IRDLOperation):
    name = "test.no_assertion"
    traits = traits_def(PatternsOfAssertions())


def test_patterns_of_other_operations_are_left_out():
    assert names(NoAssertionOp) == []
