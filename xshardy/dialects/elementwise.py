"""The trait of operations that compute each element from the elements at the same index."""

from xdsl.traits import OpTrait


class Elementwise(OpTrait):
    """
    Element `i` of each result is computed from element `i` of each operand.

    A scalar operand, such as the condition of a select, is used for every element. Indexing maps, sharding rules and
    the emitters need no row for such an operation.
    """
