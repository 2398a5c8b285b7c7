"""The parts of the domain of an indexing map: variables with bounds, and constraints."""

from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import constant
from xshardy.affine.interval import Interval


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a map. An empty `name` stands for the default: `d0`, `d1`, ..., `s0`, ... or `rt0`, ..."""

    name: str
    bounds: Interval


@dataclass(frozen=True, slots=True)
class Constraint:
    """The points where `expr` lies within `bounds`."""

    expr: AffineExpr
    bounds: Interval


NOWHERE = Constraint(constant(0), Interval.point(1))
"""`0 in [1, 1]`: an unsatisfiable constraint."""
