"""Which classes of operations a pattern takes."""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import MethodType, UnionType
from typing import Any, TypeVar, Union, final, get_args, get_origin

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.ir.fields import expected_type_of

PatternT = TypeVar("PatternT", bound=RewritePattern)
OperationT = TypeVar("OperationT", bound=Operation)

OP_TYPES = "op_types"
"""The attribute, of a pattern or of its `match_and_rewrite`, that names the classes it takes."""

UNCHECKED = "unchecked"
"""The attribute of a decorated `match_and_rewrite` that holds the function, which does not look at the class."""

ANY_OPERATION: tuple[type, ...] = (Operation,)


def match_op_type(
    rewrite: Callable[[PatternT, OperationT, PatternRewriter], None],
) -> Callable[[PatternT, Operation, PatternRewriter], None]:
    """
    A decorator of `match_and_rewrite`: call it for the classes of its type hint only, and record them for the driver.

    The hint is a class of operations, an interface that operations implement, or a union of these. xDSL's
    `op_type_rewrite_pattern` does the same, but keeps the classes to itself.
    """
    op_types = _classes(list(inspect.signature(rewrite, eval_str=True).parameters.values())[1].annotation)

    def match_and_rewrite(self: PatternT, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, op_types):
            rewrite(self, op, rewriter)  # pyright: ignore[reportArgumentType]

    setattr(match_and_rewrite, OP_TYPES, op_types)
    setattr(match_and_rewrite, UNCHECKED, rewrite)
    return match_and_rewrite


@dataclass(frozen=True)
class OpTypePattern(RewritePattern):
    """A pattern that a table instantiates for each of its rows: it takes `op_type`, the operation of the row."""

    op_type: type[Operation]

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads."""
        return (self.op_type,)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, self.op_type):
            self.rewrite(op, rewriter)

    @abstractmethod
    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Rewrite `op`, an `op_type`."""


class ClassPattern(RewritePattern):
    """A pattern that takes the classes for which `takes` holds: those with a trait, say."""

    @abstractmethod
    def takes(self, op_type: type[Operation], /) -> bool:
        """Whether the pattern takes operations of `op_type`. The driver calls this once for each class."""

    @final
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if self.takes(type(op)):
            self.rewrite(op, rewriter)

    @abstractmethod
    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Rewrite `op`, of a class that the pattern takes."""


class FixedClassPattern(ClassPattern):
    """A pattern that takes the classes for which `takes_class` holds, whatever its fields are."""

    @classmethod
    @abstractmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        """Whether patterns of this class take operations of `op_type`. The driver calls this once for all of them."""

    @final
    def takes(self, op_type: type[Operation], /) -> bool:
        return self.takes_class(op_type)


class PatternOfPatterns(FixedClassPattern):
    """
    A pattern that stands for others, which the class of an operation decides. They are tried in order.

    The driver applies these themselves, and an observer is told of them.
    """

    @classmethod
    @abstractmethod
    def patterns_of_class(cls, op_type: type[Operation], /) -> Sequence[RewritePattern]:
        """The patterns for operations of `op_type`, each of which takes it."""

    @final
    @classmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        return bool(cls.patterns_of_class(op_type))

    @final
    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        for pattern in self.patterns_of_class(type(op)):
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return


def class_test(pattern: RewritePattern) -> Callable[[type[Operation]], bool]:
    """A function that says whether `pattern` takes operations of a class. It does not hold a `FixedClassPattern`."""
    if isinstance(pattern, FixedClassPattern):
        return pattern.takes_class
    return pattern.takes if isinstance(pattern, ClassPattern) else partial(is_below_one, op_types_of(pattern))


@cache
def class_decides(pattern_type: type[RewritePattern]) -> bool:
    """Whether all patterns of a class take the same classes of operations."""
    if issubclass(pattern_type, ClassPattern):
        return issubclass(pattern_type, FixedClassPattern)
    return not any(OP_TYPES in {**vars(base), **inspect.get_annotations(base)} for base in pattern_type.__mro__)


def takes(pattern: RewritePattern, op_type: type[Operation]) -> bool:
    """Whether `pattern` takes operations of the class `op_type`."""
    return class_test(pattern)(op_type)


@cache
def is_below_one(op_types: tuple[type, ...], op_type: type[Operation]) -> bool:
    """`issubclass`, which takes long for abstract classes, remembered for each pair."""
    return issubclass(op_type, op_types)


def rewrite_of(pattern: RewritePattern) -> Callable[[Operation, PatternRewriter], None]:
    """What `pattern` does to an operation of a class that it takes; the class is not looked at again if possible."""
    if isinstance(pattern, ClassPattern | OpTypePattern):
        return pattern.rewrite
    unchecked = getattr(type(pattern).match_and_rewrite, UNCHECKED, None)
    return pattern.match_and_rewrite if unchecked is None else MethodType(unchecked, pattern)


def op_types_of(pattern: RewritePattern) -> tuple[type, ...]:
    """The classes that `pattern` takes: those that it declares itself, or its `match_and_rewrite` does; else any."""
    if (declared := getattr(pattern, OP_TYPES, None)) is not None:
        return declared
    method: Any = type(pattern).match_and_rewrite
    if (declared := getattr(method, OP_TYPES, None)) is not None:
        return declared
    expected = expected_type_of(method)
    return ANY_OPERATION if expected is None else _classes(expected)


def _classes(hint: Any) -> tuple[type, ...]:
    """The classes of a type hint: a class, or a union of classes."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
