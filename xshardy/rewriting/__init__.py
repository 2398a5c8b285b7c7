"""
Patterns, and the driver that applies them.

A *pattern* is one rewrite: a frozen dataclass below xDSL's `RewritePattern`, with `before -> after` in its docstring. A
*pass* (`PatternPass`) is a name, options, and the patterns of one or several steps. The driver (`rewrite`) finds the
patterns of an operation by its class. Every pattern also runs under xDSL's own `PatternRewriteWalker`. A pattern
inserts, moves and erases operations by its rewriter, which reports them to the index of a pipeline.
"""

from xshardy.ir.twins import replace_by_twin as replace_by_twin
from xshardy.ir.walks import BACKWARD as BACKWARD
from xshardy.ir.walks import FORWARD as FORWARD
from xshardy.ir.walks import INNER_FIRST as INNER_FIRST
from xshardy.ir.walks import TO_FIXPOINT as TO_FIXPOINT
from xshardy.ir.walks import Walk as Walk
from xshardy.rewriting.attribute_pattern import AttributePattern as AttributePattern
from xshardy.rewriting.attribute_pattern import HeldAttributesPattern as HeldAttributesPattern
from xshardy.rewriting.decision_pattern import DecidedPattern as DecidedPattern
from xshardy.rewriting.decision_pattern import DecisionPattern as DecisionPattern
from xshardy.rewriting.driver import PatternSet as PatternSet
from xshardy.rewriting.driver import rewrite as rewrite
from xshardy.rewriting.pattern import ClassPattern as ClassPattern
from xshardy.rewriting.pattern import FixedClassPattern as FixedClassPattern
from xshardy.rewriting.pattern import OpTypePattern as OpTypePattern
from xshardy.rewriting.pattern import PatternOfPatterns as PatternOfPatterns
from xshardy.rewriting.pattern import match_op_type as match_op_type
from xshardy.rewriting.pattern_pass import PatternPass as PatternPass
from xshardy.rewriting.pattern_pass import Step as Step
from xshardy.rewriting.reasons import because as because
