"""The interface of calls that the inliner replaces by the body of the function, beside `func.call`."""

from abc import ABC

from xdsl.ir import Operation


class InlinableCall(Operation, ABC):
    """
    A call of the function that its property `callee` names.

    Its operands are the arguments of the function, and its results are what the function returns.
    """
