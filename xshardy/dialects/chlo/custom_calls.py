"""Custom calls for elementwise operations, which older exporters of StableHLO emit."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.dialects.chlo import elementwise

ELEMENTWISE_CUSTOM_CALLS: Mapping[str, type[Operation]] = {
    "mhlo.acos": elementwise.AcosOp,
    "mhlo.acosh": elementwise.AcoshOp,
    "mhlo.asin": elementwise.AsinOp,
    "mhlo.asinh": elementwise.AsinhOp,
    "mhlo.atan": elementwise.AtanOp,
    "mhlo.atanh": elementwise.AtanhOp,
    "mhlo.cosh": elementwise.CoshOp,
    "mhlo.erf": elementwise.ErfOp,
    "mhlo.sinh": elementwise.SinhOp,
    "mhlo.tan": elementwise.TanOp,
}
"""The operation of each call target, with the same operands and the same result."""
