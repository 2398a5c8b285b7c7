"""
The computation partitioner: it groups the operations of a fusion into functions.

An operation with one user joins the function of its user. An operation with several users joins them if all read it at
the same indices; otherwise it starts a function of its own, so that no element is computed twice. Source: rows XGPU-11
to XGPU-13, XGPU-45.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineExpr
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.nullary import ConstantOp, IotaOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.dialects.xla_gpu.ops import PureCallOp
from xshardy.emitters.applied_computations import AppliedComputations, element_functions_of
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type
from xshardy.emitters.reads import Read, reads_of
from xshardy.indexing.tensor_maps import bitcast_map


@dataclass(frozen=True, slots=True)
class Scope:
    """
    A nested part of the code of `user` with its own operand reads: a branch of a `pad`, the loop of a reduction.

    `part` is the number of the part in the operand reads. `depth` is the nesting depth of parts.
    """

    user: Operation
    part: int
    depth: int

    @staticmethod
    def within(outer: "Scope | None", user: Operation, part: int) -> "Scope":
        """Part `part` of the code of `user`, nested in the scope `outer`."""
        return Scope(user, part, 1 if outer is None else outer.depth + 1)


MAX_DEPTH = 16
"""The maximal nesting depth of parts; deeper code moves to a function of its own."""


@dataclass(frozen=True, eq=False)
class Access:
    """
    A read of a value: at `step` of the indices of `user`, or of the indices of the function if `user` is None.

    `scope` is the part of the code that reads the value; None: the whole function.
    """

    user: "Access | None"
    step: IndexingMap
    scope: Scope | None

    @cached_property
    def map(self) -> IndexingMap | None:
        """The map from the indices of the function to those of the value; None if it exceeds `MAX_MAP_SIZE`."""
        chain: list[Access] = [self]
        while (user := chain[-1].user) is not None and "map" not in user.__dict__:
            chain.append(user)
        for access in reversed(chain[1:]):  # outermost users first, so that each call recurses by one step at most
            _ = access.map
        if self.user is None:
            return self.step
        before = self.user.map
        if before is None or is_too_large(before):
            return None
        return before.then(self.step).simplify()

    def is_same(self, other: "Access") -> bool:
        """Whether both read the same element in the same scope. Composes maps only if needed."""
        if self is other:
            return True
        if self.scope != other.scope:
            return False
        if self.user is other.user and self.step == other.step:
            return True
        return self.map is not None and self.map == other.map


MAX_MAP_SIZE = 200
"""The maximal number of operators in the results of a composed map; each composition may double it."""


def is_too_large(map: IndexingMap) -> bool:
    """Whether `map` is not composed any further."""
    return sum(_size(result) for result in map.results) > MAX_MAP_SIZE


def _size(expr: AffineExpr) -> int:
    return 1 + _size(expr.lhs) + _size(expr.rhs) if isinstance(expr, AffineBinaryOpExpr) else 0


@dataclass(frozen=True, eq=False)
class Subgraph:
    """
    The operations of one function, in program order, and the access to each.

    The function returns an element of each of `roots`. Its indices are those of the first root; `root_maps` maps them
    to the indices of the others. Elements of the values `given` are parameters of the function.
    """

    name: str
    roots: tuple[SSAValue, ...]
    root_maps: tuple[IndexingMap, ...]
    given: tuple[SSAValue, ...]
    accesses: Mapping[Operation, Access]

    @property
    def ops(self) -> Sequence[Operation]:
        return tuple(self.accesses)

    @property
    def shape(self) -> tuple[int, ...]:
        """The iteration space of the indices of the function."""
        return shape_of(self.roots[0])

    def call(
        self, parameters: Sequence[SSAValue], indices: Sequence[SSAValue], given: Sequence[SSAValue] = ()
    ) -> PureCallOp:
        """A call of the function: returns an element of each root, at `indices` of the first one."""
        elements = [emitted_type(element_type_of(root.type)) for root in self.roots]
        return PureCallOp(self.name, [*parameters, *indices, *given], elements)

    @cached_property
    def ops_by_scope(self) -> Mapping[Scope | None, Sequence[Operation]]:
        """The operations by scope, in program order."""
        result: dict[Scope | None, list[Operation]] = {}
        for op, access in self.accesses.items():
            result.setdefault(access.scope, []).append(op)
        return result


@dataclass(frozen=True, eq=False)
class Partition:
    """The functions of a computation, callers before callees; the first ones compute the roots, one per group."""

    computation: FuncOp
    subgraphs: tuple[Subgraph, ...]
    reads: Mapping[Operation, tuple[Read, ...]]
    """The operand reads of each emitted operation."""
    applied: Mapping[Operation, "Partition"]
    """For each operation with a region, the partition of the computation that it applies to elements."""
    takes_scalars: bool = False
    """Whether the parameters are elements, as in a computation applied to elements; otherwise they are tensors."""

    @property
    def root(self) -> Subgraph:
        return self.subgraphs[0]

    @cached_property
    def with_applied(self) -> Sequence["Partition"]:
        """This partition and those of all computations applied in it, and in them, without duplicates."""
        found: dict[Partition, None] = {}
        pending: list[Partition] = [self]
        while pending:
            partition = pending.pop()
            if partition not in found:
                found[partition] = None
                pending += reversed(list(partition.applied.values()))
        return tuple(found)

    @cached_property
    def position(self) -> Mapping[Operation, int]:
        """The position of each operation in the program."""
        return {op: i for i, op in enumerate(self.computation.body.block.ops)}

    @cached_property
    def subgraph_of(self) -> Mapping[Operation, Subgraph]:
        """The function of each emitted operation. Repeatable operations belong to no function."""
        return {op: subgraph for subgraph in self.subgraphs for op in subgraph.accesses}


def is_repeatable(value: SSAValue) -> bool:
    """Whether every user recomputes the value: parameters, constants, `iota`, and broadcasts of constants."""
    match value.owner:
        case ConstantOp() | IotaOp():
            return True
        case BroadcastInDimOp(operand=operand):
            return isinstance(operand.owner, ConstantOp)
        case _:
            return isinstance(value, BlockArgument)


@dataclass(frozen=True, slots=True)
class RootGroup:
    """
    Values computed by one function, each at the image of the function's indices under its map.

    The function's indices are those of the first root. Elements of the values `given` are parameters of the function,
    and of those that it shares with functions to which they are given too: each stands for all elements that are read.
    """

    roots: tuple[SSAValue, ...]
    maps: tuple[IndexingMap, ...]
    given: tuple[SSAValue, ...] = ()

    @staticmethod
    def same_place(roots: Sequence[SSAValue], given: Sequence[SSAValue] = ()) -> "RootGroup":
        """The elements of all `roots` at the same position in memory. Precondition: equal numbers of elements."""
        return RootGroup(tuple(roots), tuple(bitcast_map(roots[0], root) for root in roots), tuple(given))

    @staticmethod
    def all_results(computation: FuncOp) -> "RootGroup":
        """
        All results of `computation`, for one loop over their memory.

        Raises `PassFailedException` if their sizes differ.
        """
        roots = roots_of(computation)
        size = prod(shape_of(roots[0]))
        for i, root in enumerate(roots):
            if (other := prod(shape_of(root))) != size:
                raise PassFailedException(
                    f"@{computation.sym_name.data}: result {i} has {other} elements and result 0 has {size}; the loop "
                    "emitter writes all results of a fusion in one loop, so make them equal in size"
                )
        return RootGroup.same_place(roots)

    @staticmethod
    def same_indices(roots: Sequence[SSAValue], given: Sequence[SSAValue] = ()) -> "RootGroup":
        """The elements of all `roots` at the same indices. Precondition: equal shapes."""
        return RootGroup(tuple(roots), (IndexingMap.identity(shape_of(roots[0])),) * len(roots), tuple(given))


@dataclass(eq=False)
class PartitionedComputations(AppliedComputations):
    """The computations applied in one kernel, and their partitions."""

    partitions: dict[FuncOp, Partition] = field(default_factory=dict[FuncOp, Partition])


def partition(
    computation: FuncOp,
    starts_function: Callable[[Operation], bool] = lambda _: False,
    groups: Sequence[RootGroup] | None = None,
    heroes: Sequence[Operation] = (),
    applied: PartitionedComputations | None = None,
) -> Partition:
    """
    Partition `computation` into functions. An operation for which `starts_function` holds starts one unconditionally.

    There is one function per group of roots in `groups`; by default, one group of all results. Composes indexing maps
    only for values with several readers. Raises `PassFailedException` if one function would return results of different
    sizes.

    `applied` holds the computations that operations apply to elements and the function names in use; by default, a new
    object. The computations that `heroes` apply are partitioned too, although heroes belong to no function.
    """
    if applied is None:
        applied = PartitionedComputations(functions=element_functions_of(computation))
        for function in applied.functions.values():  # callees first, so that this does not recurse
            partition_applied(function, applied)
    groups = [RootGroup.all_results(computation)] if groups is None else groups
    prefix = computation.sym_name.data

    def unique(name: str) -> str:
        return applied.unique(f"{prefix}_{name}")

    drafts = [_Draft(unique(_group_name(group)), group) for group in groups]
    readers: dict[Operation, list[tuple[_Draft, Access]]] = {}

    def add_reader(value: SSAValue, draft: _Draft, access: Access) -> None:
        if not is_repeatable(value) and value not in draft.group.given:
            readers.setdefault(_owner(value), []).append((draft, access))

    for draft in drafts:
        for root, map in zip(draft.group.roots, draft.group.maps, strict=True):
            add_reader(root, draft, Access(None, map.simplify(), None))
    reads: dict[Operation, tuple[Read, ...]] = {}
    bodies = {op: applied.of(op) for op in heroes if op.regions}
    repeated: set[Operation] = set()
    for op in reversed(list(computation.body.block.ops)):
        if op not in readers:
            continue
        (draft, access), *others = readers.pop(op)
        forced = starts_function(op) and draft.group.roots != tuple(op.results)
        forced |= op in repeated
        forced |= access.scope is not None and access.scope.depth > MAX_DEPTH
        if forced or not all(other is draft and access.is_same(another) for other, another in others):
            given = [value for value in draft.group.given if all(value in other.group.given for other, _ in others)]
            draft = _Draft(unique(_name(op)), RootGroup.same_indices(op.results, given))
            drafts.append(draft)
            access = Access(None, draft.group.maps[0].simplify(), None)
        draft.accesses[op] = access
        reads[op] = reads_of(op)
        if op.regions or isinstance(op, CallOp):
            bodies[op] = applied.of(op)
        for operand, read in zip(op.operands, reads[op], strict=True):
            add_reader(operand, draft, _operand_access(op, read, access))
            if read.is_repeated and isinstance(operand.owner, Operation):
                repeated.add(operand.owner)
    return Partition(
        computation,
        tuple(draft.finish() for draft in drafts),
        reads,
        {op: partition_applied(body, applied) for op, body in bodies.items()},
    )


def partition_applied(body: FuncOp, applied: PartitionedComputations) -> Partition:
    """The partition of `body`, a computation in `applied`; cached."""
    if body not in applied.partitions:
        group = RootGroup.same_indices(roots_of(body))
        applied.partitions[body] = replace(partition(body, groups=[group], applied=applied), takes_scalars=True)
    return applied.partitions[body]


@dataclass(eq=False)
class _Draft:
    """A subgraph under construction: operations are added users first."""

    name: str
    group: RootGroup

    def __post_init__(self):
        self.accesses: dict[Operation, Access] = {}

    def finish(self) -> Subgraph:
        roots, maps, given = self.group.roots, self.group.maps, self.group.given
        return Subgraph(self.name, roots, maps, given, dict(reversed(self.accesses.items())))


def _operand_access(op: Operation, read: Read, access: Access) -> Access:
    """The access to an operand that `op` reads by `read`, in a function that reads `op` by `access`."""
    scope = access.scope if read.part is None else Scope.within(access.scope, op, read.part)
    return access if read.is_identity else Access(access, read.map, scope)


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def roots_of(computation: FuncOp) -> tuple[SSAValue, ...]:
    """The values that a computation returns."""
    terminator = computation.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    return tuple(terminator.arguments)


def _group_name(group: RootGroup) -> str:
    """The name of the function of a group: that of its root, or `tuple`; with a prefix if elements are given."""
    owner = group.roots[0].owner
    name = _name(owner) if isinstance(owner, Operation) else _as_symbol(group.roots[0].name_hint or "param")
    name = "tuple" if len(group.roots) > 1 else name
    return f"_epilogue__{name}" if group.given else name


def _name(op: Operation) -> str:
    """The name of the HLO instruction."""
    return _as_symbol(op.results[0].name_hint or op.name.split(".")[-1])


def _as_symbol(name: str) -> str:
    """`name` with characters that are invalid in a symbol name replaced."""
    return "".join(char if char.isalnum() or char == "_" else "_" for char in name)
