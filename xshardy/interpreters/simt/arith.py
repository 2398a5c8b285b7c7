"""Rules for the ops of `arith`. Integers are signless: each op determines the signedness of its operands."""

import operator
from collections.abc import Callable, Mapping

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Operation

from xshardy.dialects.extensions.arith_elementwise import RELATIONS, FloatPredicate, predicate_of
from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.simt.machine import Lanes, Rule, elementwise
from xshardy.interpreters.simt.memory import Tensor, Value, constant_tensor
from xshardy.numerics import floats, integers
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, as_tensor_type, numpy_dtype
from xshardy.numerics.integers import as_signed, as_unsigned, signed, unsigned, wrapped


def is_ordered(x: Array, y: Array) -> Array:
    """Whether neither operand is NaN."""
    return ~(np.isnan(x) | np.isnan(y))


ORDERED_COMPARISONS: Mapping[FloatPredicate, Callable[[Array, Array], Array]] = {
    FloatPredicate.FALSE: lambda x, y: np.zeros(np.broadcast_shapes(x.shape, y.shape), np.bool_),
    FloatPredicate.OEQ: operator.eq,
    FloatPredicate.OGT: operator.gt,
    FloatPredicate.OGE: operator.ge,
    FloatPredicate.OLT: operator.lt,
    FloatPredicate.OLE: operator.le,
    FloatPredicate.ONE: lambda x, y: (x < y) | (x > y),
    FloatPredicate.ORD: is_ordered,
}
"""The predicates of `arith.cmpf` that are false for NaN."""

NEGATIONS: Mapping[FloatPredicate, FloatPredicate] = {
    FloatPredicate.UEQ: FloatPredicate.ONE,
    FloatPredicate.UGT: FloatPredicate.OLE,
    FloatPredicate.UGE: FloatPredicate.OLT,
    FloatPredicate.ULT: FloatPredicate.OGE,
    FloatPredicate.ULE: FloatPredicate.OGT,
    FloatPredicate.UNE: FloatPredicate.OEQ,
    FloatPredicate.UNO: FloatPredicate.ORD,
    FloatPredicate.TRUE: FloatPredicate.FALSE,
}
"""The predicates of `arith.cmpf` that are true for NaN; each is the negation of an ordered one."""


def compare_integers(lanes: Lanes, op: arith.CmpiOp, x: Array, y: Array) -> Array:
    predicate = predicate_of(op)
    reading = unsigned if predicate.is_unsigned else signed
    return RELATIONS[predicate](reading(x), reading(y))


def compare_floats(lanes: Lanes, op: arith.CmpfOp, x: Array, y: Array) -> Array:
    predicate = FloatPredicate(op.predicate.value.data)
    if predicate in NEGATIONS:
        return ~ORDERED_COMPARISONS[NEGATIONS[predicate]](x, y)
    return ORDERED_COMPARISONS[predicate](x, y)


def constant(lanes: Lanes, op: arith.ConstantOp) -> Value:
    """The same value in all lanes. A tensor is created once per launch."""
    known = lanes.program.constants.get(op)
    if known is None:
        array = constant_array(op.value)
        kind = as_tensor_type(op.result.type)
        known = array[None, None] if kind is None else constant_tensor("a constant", array, kind)
        lanes.program.constants[op] = known
    return known


def select(lanes: Lanes, op: arith.SelectOp, condition: Array, x: Value, y: Value) -> Value:
    """A scalar condition selects whole vectors. For tensors the condition must be the same in all lanes."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return lanes.uniform(op, condition, x, y)
    return np.where(lanes.on_vector(condition, x.ndim), x, y)


def convert_from(reading: Callable[[Array], Array]) -> Rule:
    """Convert the number that `reading` extracts from the operand to the type of the result."""

    def rule(lanes: Lanes, op: Operation, x: Array) -> Array:
        return convert(reading(x), numpy_dtype(op.results[0].type))

    return rule


def to_unsigned(lanes: Lanes, op: Operation, x: Array) -> Array:
    dtype = numpy_dtype(op.results[0].type)
    return wrapped(convert(x, unsigned(np.zeros(1, dtype)).dtype), dtype)


def resize_from(reading: Callable[[Array], Array]) -> Rule:
    """Change the width: the number that `reading` extracts, modulo the new width."""

    def rule(lanes: Lanes, op: Operation, x: Array) -> Array:
        return wrapped(reading(x), numpy_dtype(op.results[0].type))

    return rule


def itself(x: Array) -> Array:
    return x


def bitcast(lanes: Lanes, op: Operation, x: Array) -> Array:
    return x.view(numpy_dtype(op.results[0].type))


ARITH: Mapping[str, Rule] = {
    **{
        f"arith.{name}": elementwise(function)
        for name, function in {
            "addf": np.add,
            "addi": as_unsigned(np.add),
            "addui_extended": integers.add_unsigned_extended,
            "andi": as_unsigned(np.bitwise_and),
            "ceildivsi": as_signed(integers.ceil_quotient),
            "ceildivui": as_unsigned(integers.ceil_quotient),
            "divf": np.divide,
            "divsi": as_signed(integers.quotient),
            "divui": as_unsigned(integers.quotient),
            "floordivsi": as_signed(integers.floor_quotient),
            "maximumf": floats.maximum,
            "maxnumf": floats.maximum_number,
            "maxsi": as_signed(np.maximum),
            "maxui": as_unsigned(np.maximum),
            "minimumf": floats.minimum,
            "minnumf": floats.minimum_number,
            "minsi": as_signed(np.minimum),
            "minui": as_unsigned(np.minimum),
            "mulf": np.multiply,
            "muli": as_unsigned(np.multiply),
            "mulsi_extended": integers.multiply_signed_extended,
            "mului_extended": integers.multiply_unsigned_extended,
            "negf": np.negative,
            "ori": as_unsigned(np.bitwise_or),
            "remf": floats.remainder,
            "remsi": as_signed(integers.rest),
            "remui": as_unsigned(integers.rest),
            "shli": integers.shift_left,
            "shrsi": integers.shift_right_arithmetic,
            "shrui": integers.shift_right_logical,
            "subf": np.subtract,
            "subi": as_unsigned(np.subtract),
            "xori": as_unsigned(np.bitwise_xor),
        }.items()
    },
    "arith.bitcast": bitcast,
    "arith.cmpf": compare_floats,
    "arith.cmpi": compare_integers,
    "arith.constant": constant,
    "arith.extf": convert_from(itself),
    "arith.extsi": resize_from(signed),
    "arith.extui": resize_from(unsigned),
    "arith.fptosi": convert_from(itself),
    "arith.fptoui": to_unsigned,
    "arith.index_cast": resize_from(signed),
    "arith.index_castui": resize_from(unsigned),
    "arith.select": select,
    "arith.sitofp": convert_from(signed),
    "arith.truncf": convert_from(itself),
    "arith.trunci": resize_from(unsigned),
    "arith.uitofp": convert_from(unsigned),
}
"""
The rule of each op of `arith`.

Where MLIR leaves a result undefined, as for a division by 0, XLA's result is used.
"""
