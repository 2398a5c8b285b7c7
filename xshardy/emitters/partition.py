"""
The computation partitioner: which operations of a fusion are emitted together, as one function.

An operation with one user is emitted with it. An operation with several users is emitted with them if all read it at
the same indices, else it starts a function that its users call, so that nothing is computed twice for one element.
Source: rows XGPU-11 to XGPU-13, XGPU-45.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineExpr
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.stablehlo.nullary import ConstantOp, IotaOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.dialects.xla_gpu.ops import PureCallOp
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type
from xshardy.indexing.indexing_map import IndexingMap
from xshardy.indexing.interval import Interval
from xshardy.indexing.operations import ELEMENTWISE, bitcast_map, operand_maps, shape_of


@dataclass(frozen=True, slots=True)
class Scope:
    """
    The code that runs only where `user` reads operand number `operand`: a `pad` or a `concatenate` chooses.

    `depth` is the number of branches that it is in.
    """

    user: Operation
    operand: int
    depth: int


MAX_DEPTH = 16
"""Code in more branches than that goes to a function of its own, lest it be nested without end."""


@dataclass(frozen=True, slots=True)
class Read:
    """How an operation reads one operand: at `map` of its own indices, wherever these are in the domain of `map`."""

    map: IndexingMap
    is_identity: bool
    is_conditional: bool
    """Whether some elements of the result do not depend on the operand, so that it is not to be read for them."""

    @staticmethod
    def of(map: IndexingMap, shape: tuple[int, ...]) -> "Read":
        """The read at `map` of an operation whose result has this shape."""
        everywhere = tuple(Interval.of_size(size) for size in shape if size)
        is_conditional = bool(map.constraints) or map.dimension_intervals != everywhere
        return Read(map, not is_conditional and map == IndexingMap.identity(shape), is_conditional)


@dataclass(frozen=True, eq=False)
class Access:
    """
    Where a function reads a value: at `step` of the indices at which `user` is read, or of its own if that is None.

    `scope` is the part of the code that the value is needed in; None: all of it.
    """

    user: "Access | None"
    step: IndexingMap
    scope: Scope | None

    @cached_property
    def map(self) -> IndexingMap | None:
        """From the indices of the function to those of the value; None if that is too much to write down."""
        chain: list[Access] = [self]
        while (user := chain[-1].user) is not None and "map" not in user.__dict__:
            chain.append(user)
        for access in reversed(chain[1:]):  # the first ones first, so that no call goes deeper than one step
            _ = access.map
        if self.user is None:
            return self.step
        before = self.user.map
        if before is None or sum(map(_size, before.results)) > MAX_MAP_SIZE:
            return None
        return before.then(self.step).simplify()

    def is_same(self, other: "Access") -> bool:
        """Whether both read the same element, in the same part of the code. Composes maps only if it must."""
        if self is other:
            return True
        if self.scope != other.scope:
            return False
        if self.user is other.user and self.step == other.step:
            return True
        return self.map is not None and self.map == other.map


MAX_MAP_SIZE = 200
"""Operators in the results of a map; a longer one is not composed any further, as every step may double it."""


def _size(expr: AffineExpr) -> int:
    return 1 + _size(expr.lhs) + _size(expr.rhs) if isinstance(expr, AffineBinaryOpExpr) else 0


@dataclass(frozen=True, eq=False)
class Subgraph:
    """
    The operations of one function, in the order of the program, and where in it each of them is read.

    `roots` are what the function gives. Its indices are those of the first root; `root_maps` takes them to the others'.
    """

    name: str
    roots: tuple[SSAValue, ...]
    root_maps: tuple[IndexingMap, ...]
    accesses: Mapping[Operation, Access]

    @property
    def ops(self) -> Sequence[Operation]:
        return tuple(self.accesses)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions that the indices of the function run over."""
        return shape_of(self.roots[0])

    def call(self, parameters: Sequence[SSAValue], indices: Sequence[SSAValue]) -> PureCallOp:
        """A call of the function: an element of each root, at `indices` of the first one."""
        elements = [emitted_type(element_type_of(root.type)) for root in self.roots]
        return PureCallOp(self.name, [*parameters, *indices], elements)

    @cached_property
    def ops_by_scope(self) -> Mapping[Scope | None, Sequence[Operation]]:
        """The operations that are emitted in each part of the code, in the order of the program."""
        result: dict[Scope | None, list[Operation]] = {}
        for op, access in self.accesses.items():
            result.setdefault(access.scope, []).append(op)
        return result


@dataclass(frozen=True, eq=False)
class Partition:
    """The functions of a computation, each after those that call it; the first gives the roots of the computation."""

    computation: FuncOp
    subgraphs: tuple[Subgraph, ...]
    reads: Mapping[Operation, tuple[Read, ...]]
    """How each operation that is emitted reads its operands."""

    @property
    def root(self) -> Subgraph:
        return self.subgraphs[0]

    @cached_property
    def position(self) -> Mapping[Operation, int]:
        """The place of each operation in the program."""
        return {op: i for i, op in enumerate(self.computation.body.block.ops)}

    @cached_property
    def subgraph_of(self) -> Mapping[Operation, Subgraph]:
        """The function that each operation is emitted in. What every function makes for itself is in none."""
        return {op: subgraph for subgraph in self.subgraphs for op in subgraph.accesses}


def is_repeatable(value: SSAValue) -> bool:
    """Whether every user makes the value for itself: parameters, constants, `iota`, and broadcasts of constants."""
    match value.owner:
        case ConstantOp() | IotaOp():
            return True
        case BroadcastInDimOp(operand=operand):
            return isinstance(operand.owner, ConstantOp)
        case _:
            return isinstance(value, BlockArgument)


def partition(computation: FuncOp, starts_function: Callable[[Operation], bool] = lambda _: False) -> Partition:
    """
    Cut `computation` into functions. An operation for which `starts_function` holds starts one, whoever its users are.

    Composes indexing maps only for what is read by different ways. Raises `PassFailedException` if the roots differ in
    size.
    """
    roots = _roots(computation)
    taken: set[str] = set()
    prefix = computation.sym_name.data

    def unique(name: str) -> str:
        candidate, count = f"{prefix}_{name}", 0
        while candidate in taken:
            candidate, count = f"{prefix}_{name}_{count}", count + 1
        taken.add(candidate)
        return candidate

    drafts = [_Draft(unique(_root_name(roots)), roots, _root_maps(computation, roots))]
    readers: dict[Operation, list[tuple[_Draft, Access]]] = {}
    for root, map in zip(roots, drafts[0].root_maps, strict=True):
        if not is_repeatable(root):
            readers.setdefault(_owner(root), []).append((drafts[0], Access(None, map.simplify(), None)))
    reads: dict[Operation, tuple[Read, ...]] = {}
    for op in reversed(list(computation.body.block.ops)):
        if op not in readers:
            continue
        (draft, access), *others = readers.pop(op)
        forced = starts_function(op) and draft.roots != tuple(op.results)
        forced |= access.scope is not None and access.scope.depth > MAX_DEPTH
        if forced or not all(other is draft and access.is_same(another) for other, another in others):
            draft = _Draft(unique(_name(op)), tuple(op.results), (IndexingMap.identity(shape_of(op.results[0])),))
            drafts.append(draft)
            access = Access(None, draft.root_maps[0].simplify(), None)
        draft.accesses[op] = access
        reads[op] = _reads(op)
        for i, (operand, read) in enumerate(zip(op.operands, reads[op], strict=True)):
            if not is_repeatable(operand):
                readers.setdefault(_owner(operand), []).append((draft, _operand_access(op, i, read, access)))
    return Partition(computation, tuple(draft.finish() for draft in drafts), reads)


@dataclass(eq=False)
class _Draft:
    """A subgraph while operations are added to it, users first."""

    name: str
    roots: tuple[SSAValue, ...]
    root_maps: tuple[IndexingMap, ...]

    def __post_init__(self):
        self.accesses: dict[Operation, Access] = {}

    def finish(self) -> Subgraph:
        return Subgraph(self.name, self.roots, self.root_maps, dict(reversed(self.accesses.items())))


def _reads(op: Operation) -> tuple[Read, ...]:
    """How `op` reads each operand."""
    shape = shape_of(op.results[0])
    if isinstance(op, ELEMENTWISE):
        return (_identity_read(shape),) * len(op.operands)
    return tuple(Read.of(map, shape) for (map,) in operand_maps(op))


@lru_cache(maxsize=1024)
def _identity_read(shape: tuple[int, ...]) -> Read:
    return Read(IndexingMap.identity(shape), is_identity=True, is_conditional=False)


def _operand_access(op: Operation, operand: int, read: Read, access: Access) -> Access:
    """How a function that reads `op` by `access` reads its operand number `operand`, which `op` reads by `read`."""
    scope = access.scope
    if read.is_conditional:
        scope = Scope(op, operand, 1 if scope is None else scope.depth + 1)
    return access if read.is_identity else Access(access, read.map, scope)


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _roots(computation: FuncOp) -> tuple[SSAValue, ...]:
    terminator = computation.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    return tuple(terminator.arguments)


def _root_maps(computation: FuncOp, roots: Sequence[SSAValue]) -> tuple[IndexingMap, ...]:
    """From the indices of the first root to those of each: the element that lies at the same place in memory."""
    first = roots[0]
    size = prod(shape_of(first))
    for i, root in enumerate(roots):
        if (other := prod(shape_of(root))) != size:
            raise PassFailedException(
                f"@{computation.sym_name.data}: result {i} has {other} elements and result 0 has {size}; the loop "
                "emitter writes all results of a fusion in one loop, so make them equal in size"
            )
    return tuple(bitcast_map(first, root) for root in roots)


def _root_name(roots: Sequence[SSAValue]) -> str:
    """What the function of the roots is called after: the root, or that there are several."""
    if len(roots) > 1:
        return "tuple"
    owner = roots[0].owner
    return _name(owner) if isinstance(owner, Operation) else "param"


def _name(op: Operation) -> str:
    """The name of the HLO instruction, with what a symbol name may not contain replaced."""
    name = op.results[0].name_hint or op.name.split(".")[-1]
    return "".join(char if char.isalnum() or char == "_" else "_" for char in name)
