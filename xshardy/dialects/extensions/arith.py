"""What upstream's `arith` dialect has and xDSL's lacks."""

from xdsl.ir import Dialect

from xshardy.dialects.extensions import extended


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations and traits of this module."""
    return extended(dialect)
