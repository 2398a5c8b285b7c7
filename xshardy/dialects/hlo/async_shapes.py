"""
How HLO text writes a bundle: as a tuple of shapes, of operands, outputs and contexts, in an order of each opcode's own.

| start | tuple |
|---|---|
| `async-start` | `((operands), outputs, contexts...)`; outputs are bare if there is one |
| `copy-start` | `(output, operand, contexts...)` |
| `all-gather-start` | `(operand, output)`, with several `((operands), (outputs))` |
| `all-reduce-start` | `output`, with several `(outputs)`: operands are not there |
| `collective-permute-start` | `(operand, output, contexts...)`, with several `((operands), (outputs), contexts...)`; \
in place, with the output and the places as further operands, these are not there |
| `send` | `(operand, contexts..., token)`: of the operands only the first |
| `recv` | `(output, contexts..., token)`: of the operands none |

A shape is anything, and a tuple of shapes is a Python tuple, so that the functions serve types and shapes with layouts
alike. Source: rows HLO-ASYNC-03, -10, -19, -20, and XLA's verifier for the opcodes of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

Tree: TypeAlias = object
"""A shape, or a Python tuple of trees."""


@dataclass(frozen=True, slots=True)
class BundleShapes:
    """The shapes in a bundle: of the operands, the outputs and the contexts."""

    operands: tuple[Tree, ...]
    outputs: tuple[Tree, ...]
    contexts: tuple[Tree, ...] = ()


@dataclass(frozen=True, slots=True)
class TupleForm:
    """
    The form in which one opcode writes a bundle.

    `read` takes the elements of the tuple and the shapes of the operands. It raises `ValueError` for too few elements
    or elements of the wrong kind; `expected` describes the valid form.
    """

    write: Callable[[BundleShapes], Tree]
    read: Callable[[tuple[Tree, ...], Sequence[Tree]], BundleShapes]
    expected: str


def bare_if_one(shapes: tuple[Tree, ...]) -> Tree:
    """`(f32[2],)` -> `f32[2]`"""
    return shapes[0] if len(shapes) == 1 else shapes


def is_tuple(shape: Tree) -> bool:
    return isinstance(shape, tuple)


def elements_of(shape: Tree) -> tuple[Tree, ...]:
    """The elements of a tuple; any other shape is its own single element."""
    return cast(tuple[Tree, ...], shape) if is_tuple(shape) else (shape,)


def read_generic(elements: tuple[Tree, ...], operands: Sequence[Tree]) -> BundleShapes:
    """`((operands), outputs, contexts...)`, or with one operand the flat `(operand, outputs, contexts...)`."""
    first, outputs, *contexts = elements
    is_flat = len(operands) == 1 and first == operands[0]
    if not is_flat and not is_tuple(first):
        raise ValueError
    return BundleShapes((first,) if is_flat else elements_of(first), elements_of(outputs), tuple(contexts))


def read_copy(elements: tuple[Tree, ...], operands: Sequence[Tree]) -> BundleShapes:
    output, operand, *contexts = elements
    return BundleShapes((operand,), (output,), tuple(contexts))


def read_gather(elements: tuple[Tree, ...], operands: Sequence[Tree]) -> BundleShapes:
    sources, results = elements
    return BundleShapes(elements_of(sources), elements_of(results))


def read_reduce(elements: tuple[Tree, ...], operands: Sequence[Tree]) -> BundleShapes:
    return BundleShapes(tuple(operands), elements)


def write_permute(bundle: BundleShapes) -> Tree:
    """Several operands have as many outputs, in one tuple if the operation is synchronous; in place they have not."""
    outputs = bare_if_one(bundle.outputs)
    is_combined = is_tuple(outputs) and len(elements_of(outputs)) == len(bundle.operands)
    return (bundle.operands if is_combined else bundle.operands[0], outputs, *bundle.contexts)


def read_permute(elements: tuple[Tree, ...], operands: Sequence[Tree]) -> BundleShapes:
    sources, results, *contexts = elements
    further = operands[1:] if len(elements_of(results)) == 1 else ()
    return BundleShapes((*elements_of(sources), *further), elements_of(results), tuple(contexts))


def read_send(elements: tuple[Tree, ...], operands: Sequence[Tree]) -> BundleShapes:
    operand, *contexts, token = elements
    return BundleShapes((operand, *operands[1:]), (token,), tuple(contexts))


def read_recv(elements: tuple[Tree, ...], operands: Sequence[Tree]) -> BundleShapes:
    output, *contexts, token = elements
    return BundleShapes(tuple(operands), (output, token), tuple(contexts))


TUPLE_FORMS: Mapping[str, TupleForm] = {
    "async-start": TupleForm(
        lambda bundle: (bundle.operands, bare_if_one(bundle.outputs), *bundle.contexts),
        read_generic,
        "((async-operands), async-outputs, state)",
    ),
    "copy-start": TupleForm(
        lambda bundle: (*bundle.outputs, *bundle.operands, *bundle.contexts), read_copy, "(output, operand, state)"
    ),
    "all-gather-start": TupleForm(
        lambda bundle: (bare_if_one(bundle.operands), bare_if_one(bundle.outputs)),
        read_gather,
        "(operand, output) or ((operands), (outputs))",
    ),
    "all-reduce-start": TupleForm(lambda bundle: bare_if_one(bundle.outputs), read_reduce, "output or (outputs)"),
    "collective-permute-start": TupleForm(
        write_permute, read_permute, "(operand, output, state) or ((operands), (outputs), state)"
    ),
    "send": TupleForm(
        lambda bundle: (bundle.operands[0], *bundle.contexts, *bundle.outputs), read_send, "(operand, state, token)"
    ),
    "recv": TupleForm(
        lambda bundle: (bundle.outputs[0], *bundle.contexts, *bundle.outputs[1:]), read_recv, "(output, state, token)"
    ),
}
"""One row per opcode of a start."""


def write_tuple(opcode: str, bundle: BundleShapes) -> Tree:
    """The shape of the start `opcode` in HLO text. Raises `KeyError` if `opcode` is no start."""
    return TUPLE_FORMS[opcode].write(bundle)


def read_tuple(opcode: str, shape: Tree, operands: Sequence[Tree]) -> BundleShapes:
    """
    The shapes in the bundle of the start `opcode`, from its `shape` and the shapes `operands`.

    The verifier checks that the shapes are right. Raises `ValueError`, with a message that begins with XLA's words, if
    `shape` has not the opcode's form, and `KeyError` if `opcode` is no start.
    """
    form = TUPLE_FORMS[opcode]
    try:
        return form.read(elements_of(shape), operands)
    except ValueError:
        raise ValueError(f"{opcode} expects the op shape to be in the form of {form.expected}") from None


def flat_tuple(bundle: BundleShapes) -> Tree:
    """The shape of `async-start` in older documents: a single operand is not nested in a tuple."""
    return (bare_if_one(bundle.operands), bare_if_one(bundle.outputs), *bundle.contexts)
