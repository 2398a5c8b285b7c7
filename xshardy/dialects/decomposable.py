"""The interface of operations that can be written in operations of StableHLO: one definition for all that needs it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from xshardy.dialects.stablehlo.building import Tensors


class DecomposableOpInterface(Operation, ABC):
    """
    An operation that the emitters and the interpreter replace by StableHLO operations.

    The interpreter prefers a numpy rule of the operation to its decomposition: it is then checked against the rule.
    """

    @abstractmethod
    def decompose(self, t: Tensors) -> Sequence[SSAValue]:
        """
        Insert operations that compute the results of this one from its operands, and return their results.

        Raises `NotImplementedError` with the reason if there is no decomposition for its types.
        """
