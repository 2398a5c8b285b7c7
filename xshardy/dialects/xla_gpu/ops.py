"""
Operations of the xla_gpu dialect: what XLA:GPU's emitters write between HLO and scf.

They are the program of one thread. Tensors are values; their elements are addressed by indexing maps. An operation that
writes gives the tensor after the write. Source: rows XGPU-23 to XGPU-30.
"""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    AnyTensorType,
    AnyTensorTypeConstr,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    FunctionType,
    IndexType,
    IntegerAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineSymExpr
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParamAttrConstraint,
    RangeOf,
    RangeVarConstraint,
    SameVariadicOperandSize,
    VarConstraint,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    HasParent,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.canonicalized_by import CanonicalizedBy
from xshardy.dialects.constraints import StaticShape
from xshardy.dialects.inlinable import InlinableCall
from xshardy.dialects.naming import Names, SuggestsNames
from xshardy.dialects.symbols import find_function
from xshardy.dialects.xla_gpu.attributes import DimensionAttr, IndexingMapAttr
from xshardy.dialects.xla_gpu.constraints import (
    APPLIED_MAP,
    INDICES_OF_RANK,
    INSERTION_MAP,
    LOOP_MAP,
    MAP_OF_SOURCE,
    REDUCED_INPUTS,
    REDUCED_RESULTS,
    ElementTypes,
    ReducedDimensions,
    indices,
    reduced_types,
    tensor_of_rank,
    tensor_types,
)
from xshardy.dialects.xla_gpu.formats import AppliedMap, LoopNest
from xshardy.dialects.xla_gpu.types import IndexedVectorType
from xshardy.ir.fields import operands_of

CANONICALIZATION = "xshardy.dialects.xla_gpu.canonicalization"
"""The module with the canonicalization patterns of xla_gpu."""
INDEX = IndexType()


def _types(values: Sequence[SSAValue]) -> tuple[Attribute, ...]:
    return tuple(value.type for value in values)


def _verify_combiner(op: Operation, combiner: SymbolRefAttr, element_types: Sequence[Attribute]) -> None:
    """A combiner takes the accumulated scalars, then the scalars to add, and gives the new accumulated ones."""
    name = combiner.string_value()
    function = find_function(op, combiner)
    if function is None:
        raise VerifyException(f"combiner `@{name}` not found")
    expected = FunctionType.from_lists([*element_types, *element_types], element_types)
    if function.function_type != expected:
        raise VerifyException(
            f"provided combiner `@{name} expected to have type '{expected}' but got '{function.function_type}'"
        )


@irdl_op_definition
class AllocateSharedOp(IRDLOperation, SuggestsNames):
    """
    A tensor in the shared memory of the block: one for all its threads, with undefined elements.

    Has effects, so that two of them are never merged.
    """

    name = "xla_gpu.allocate_shared"
    result = result_def(
        AnyTensorTypeConstr
        & StaticShape("cannot allocate {type}: shared memory has a static shape, so give every dimension a size")
    )
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: TensorType):
        super().__init__(result_types=[type])

    def result_names(self) -> Names:
        return ("shmem",)


@irdl_op_definition
class ApplyIndexingOp(IRDLOperation, HasFolderInterface):
    """
    `apply_indexing #map(%d0, %d1)[%s0]`: the results of the map at these dimensions and symbols, one index each.

    The domain of the map is a promise about the operands, and must have no constraints.
    """

    name = "xla_gpu.apply_indexing"
    arguments = var_operand_def(indices("ARGUMENTS"))
    indexing_map_attr = prop_def(APPLIED_MAP)
    values = var_result_def(indices("VALUES"))
    traits = traits_def(Pure(), CanonicalizedBy(CANONICALIZATION))
    custom_directives = (AppliedMap,)
    assembly_format = "custom<AppliedMap>($indexing_map_attr, $arguments) attr-dict"

    def __init__(self, operands: Sequence[SSAValue], indexing_map: IndexingMap | IndexingMapAttr):
        attr = IndexingMapAttr.get(indexing_map)
        types = [INDEX] * len(attr.data.results)
        Operation.__init__(self, operands=operands, properties={"indexing_map_attr": attr}, result_types=types)

    @property
    def map(self) -> IndexingMap:
        return cast(IndexingMapAttr, self.properties["indexing_map_attr"]).data  # hot path: xDSL's accessor searches

    @property
    def dims(self) -> Sequence[SSAValue]:
        return operands_of(self)[: len(self.map.dimensions)]

    @property
    def symbols(self) -> Sequence[SSAValue]:
        return operands_of(self)[len(self.map.dimensions) :]

    def fold(self) -> Sequence[SSAValue] | None:
        """`(d0, d1) -> (d1, d0)` -> the operands, if every result is a variable."""
        operands: list[SSAValue] = []
        for expr in self.map.results:
            match expr:
                case AffineDimExpr(position):
                    operands.append(self.dims[position])
                case AffineSymExpr(position):
                    operands.append(self.symbols[position])
                case _:
                    return None
        return operands


@irdl_op_definition
class YieldOp(AbstractYieldOperation[Attribute]):
    """The end of a body: the next carried values of a loop, or the new value of an element."""

    name = "xla_gpu.yield"
    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(AtomicRMWOp, LoopOp)))


@irdl_op_definition
class AtomicRMWOp(IRDLOperation, HasFolderInterface, SuggestsNames):
    """
    Replace an element by what the body computes from it, with no write of another thread in between.

    The body takes the current element, or a vector of the elements from there on, and yields the new ones.
    """

    name = "xla_gpu.atomic_rmw"
    T: ClassVar = VarConstraint("T", tensor_of_rank(AnyAttr()))
    input = operand_def(T)
    indices = var_operand_def(INDICES_OF_RANK)
    computation = region_def("single_block")
    result = result_def(T)
    traits = traits_def(SingleBlockImplicitTerminator(YieldOp))
    assembly_format = "$input `[` $indices `]` `:` type($input) $computation attr-dict"

    def __init__(self, input: SSAValue, indices: Sequence[SSAValue], computation: Region):
        super().__init__(operands=[input, indices], regions=[computation], result_types=[input.type])

    @property
    def current_value(self) -> BlockArgument:
        return self.computation.block.args[0]

    def result_names(self) -> Names:
        return ("atomic_rmw",)

    def verify_(self) -> None:
        assert isa(self.input.type, AnyTensorType)
        block = self.computation.block
        element_type = self.input.type.element_type
        if len(block.args) != 1:
            raise VerifyException(f"expected a body of one argument, the current value, but got {len(block.args)}")
        current_type = self.current_value.type
        terminator = block.last_op
        if terminator is None or _types(terminator.operands) != (current_type,):
            raise VerifyException("mismatch in the block argument type and the yielded type")
        if not isa(current_type, VectorType[Attribute]):
            if current_type != element_type:
                raise VerifyException("mismatch in the result element type and the block argument type")
            return
        if current_type.get_num_dims() != 1:
            raise VerifyException("expected a rank-1 vector type for the block argument")
        if current_type.element_type != element_type:
            raise VerifyException("mismatch in the result element type and the block argument vector element type")

    def fold(self) -> Sequence[SSAValue] | None:
        """`atomic_rmw %t[%i] { ^bb(%x): yield %x }` -> `%t`: writing back what was read changes nothing."""
        terminator = self.computation.block.last_op
        if (
            terminator is self.computation.block.first_op
            and terminator
            and terminator.operands[0] is self.current_value
        ):
            return [self.input]
        return None


@irdl_op_definition
class GetDynamicDimSizeOp(IRDLOperation):
    """
    The size, in elements, that a dimension really has in a tensor whose type gives an upper bound.

    A flattened tensor, of one dimension, still has the sizes of those that it had before.
    """

    name = "xla_gpu.get_dynamic_dim_size"
    tensor = operand_def(AnyTensorTypeConstr)
    dim = prop_def(IntegerAttr[I64])
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "$tensor $dim attr-dict `:` type($tensor)"

    def verify_(self) -> None:
        assert isa(self.tensor.type, AnyTensorType)
        rank = self.tensor.type.get_num_dims()
        if self.dim.value.data < 0 or (rank != 1 and self.dim.value.data >= rank):
            raise VerifyException(
                f"dimension {self.dim.value.data} does not exist: the tensor has {rank} dimensions, counted from 0"
            )


@irdl_op_definition
class InsertOp(IRDLOperation):
    """
    `insert %vector(%i, %j) into %tensor at #map`: write the elements that a thread holds into a tensor.

    The map of the vector's type, at these indices, numbers the elements; `#map` takes the numbers to the tensor.
    """

    name = "xla_gpu.insert"
    T: ClassVar = VarConstraint("T", AnyTensorTypeConstr)
    source = operand_def(ParamAttrConstraint(IndexedVectorType, (AnyAttr(), AnyAttr(), MAP_OF_SOURCE)))
    indices = var_operand_def(IndexType)
    dest = operand_def(T)
    map_attr = prop_def(INSERTION_MAP, prop_name="map")
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = (
        "$source `(` $indices `)` `into` $dest `at` qualified($map) attr-dict `:` type($source) `->` type($dest)"
    )

    def __init__(
        self, source: SSAValue, indices: Sequence[SSAValue], dest: SSAValue, map: IndexingMap | IndexingMapAttr
    ):
        super().__init__(
            operands=[source, indices, dest],
            properties={"map": IndexingMapAttr.get(map)},
            result_types=[dest.type],
        )

    @property
    def map(self) -> IndexingMap:
        return self.map_attr.data


@irdl_op_definition
class LoopOp(IRDLOperation, SuggestsNames):
    """
    `loop (%dims)[%ivs] -> (%indices) in #map iter_args(%iter = %init) -> (types) { ... }`: a nest of loops.

    The induction variables are the symbols of the map, the first one outermost; the body gets them, the results of the
    map, and the carried values. Outside the domain of the map the body is skipped and the carried values stay.
    """

    name = "xla_gpu.loop"
    dims = var_operand_def(indices("DIMS"))
    inits = var_operand_def()
    indexing_map_attr = prop_def(LOOP_MAP)
    body = region_def("single_block")
    outputs = var_result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(
        RecursiveMemoryEffect(), SingleBlockImplicitTerminator(YieldOp), CanonicalizedBy(CANONICALIZATION)
    )
    custom_directives = (LoopNest,)
    assembly_format = (
        "` ` `(` $dims `)` `` "
        + "custom<LoopNest>($indexing_map_attr, $inits, type($inits), type($outputs), $body) attr-dict"
    )

    def __init__(
        self,
        dims: Sequence[SSAValue],
        indexing_map: IndexingMap | IndexingMapAttr,
        inits: Sequence[SSAValue],
        body: Region | None = None,
    ):
        """Without a `body`, the loop gets a block with the right arguments, to be filled and ended by a yield."""
        attr = IndexingMapAttr.get(indexing_map)
        if body is None:
            indices = [INDEX] * (len(attr.data.ranges) + len(attr.data.results))
            body = Region(Block(arg_types=[*indices, *_types(inits)]))
        super().__init__(
            operands=[dims, inits],
            properties={"indexing_map_attr": attr},
            regions=[body],
            result_types=[_types(inits)],
        )

    @property
    def map(self) -> IndexingMap:
        return self.indexing_map_attr.data

    @property
    def induction_vars(self) -> Sequence[BlockArgument]:
        args = self.body.block.args
        return args[: len(args) - len(self.map.results) - len(self.inits)]

    @property
    def map_results(self) -> Sequence[BlockArgument]:
        args = self.body.block.args
        return args[len(self.induction_vars) : len(args) - len(self.inits)]

    @property
    def iter_args(self) -> Sequence[BlockArgument]:
        args = self.body.block.args
        return args[len(args) - len(self.inits) :]

    def result_names(self) -> Names:
        return ("xla_loop",) * len(self.results)

    def argument_names(self, region: Region) -> Names:
        """`i` to `n` for induction variables, `ra`, `rb`, ... for results of the map, `iter` for carried values."""
        induction_vars = [chr(ord("i") + min(i, 6)) for i in range(len(self.induction_vars))]
        map_results = ["r" + chr(ord("a") + min(i, 25)) for i in range(len(self.map_results))]
        return (*induction_vars, *map_results, *["iter"] * len(self.inits))

    def verify_(self) -> None:
        if len(self.inits) != len(self.results):
            raise VerifyException("mismatch in number of loop-carried values and results")
        ivs = len(self.body.block.args) - len(self.map.results) - len(self.inits)
        if ivs != len(self.map.ranges):
            raise VerifyException(
                f"mismatch in number of induction variables {ivs} and RangeVars in the indexing map {self.map}"
            )
        if self.map.runtimes:
            raise VerifyException(f"the map of a loop has no runtime variables: make them dimensions of {self.map}")
        for arg, result, init in zip(self.iter_args, self.results, self.inits, strict=True):
            if not arg.type == result.type == init.type:
                raise VerifyException(
                    f"block iter arg type = '{arg.type}', result type = '{result.type}' and init operand type = "
                    f"'{init.type}' should match"
                )
        if any(not isinstance(arg.type, IndexType) for arg in (*self.induction_vars, *self.map_results)):
            raise VerifyException("induction variables and map results must have type 'index'")
        terminator = self.body.block.last_op
        if isinstance(terminator, YieldOp) and _types(terminator.operands) != self.result_types:
            raise VerifyException("mismatch in the yielded types and the result types")


@irdl_op_definition
class PdlWaitOp(IRDLOperation):
    """
    Wait until the kernel that was launched before has written all its results (programmatic dependent launch).

    XLA inserts it at the start of a kernel that may start before the one it depends on has ended. Source:
    `xla-gpu-insert-pdl`, which `xla-lower-pdl-wait` lowers to `nvvm.griddepcontrol wait`.
    """

    name = "xla_gpu.pdl_wait"


@irdl_op_definition
class PdlLaunchDependentsOp(IRDLOperation):
    """
    Let the kernel that depends on this one be launched (programmatic dependent launch): it waits for results itself.

    Source: `xla-gpu-insert-pdl`, which `xla-lower-pdl-wait` lowers to `nvvm.griddepcontrol launch_dependents`.
    """

    name = "xla_gpu.pdl_launch_dependents"


@irdl_op_definition
class PredicatedExtractOp(IRDLOperation):
    """`predicated_extract %t[%i] if %condition else %fallback`: an element, or `%fallback` without reading."""

    name = "xla_gpu.predicated_extract"
    E: ClassVar = VarConstraint("E", AnyAttr())
    condition = operand_def(i1)
    fallback = operand_def(E)
    src = operand_def(tensor_of_rank(E))
    indices = var_operand_def(INDICES_OF_RANK)
    result = result_def(E)
    traits = traits_def(Pure())
    assembly_format = "$src `[` $indices `]` `if` $condition `else` $fallback attr-dict `:` type($src)"

    def __init__(self, src: SSAValue, indices: Sequence[SSAValue], condition: SSAValue, fallback: SSAValue):
        super().__init__(operands=[condition, fallback, src, indices], result_types=[fallback.type])


@irdl_op_definition
class PredicatedInsertOp(IRDLOperation):
    """`predicated_insert %v into %t[%i] if %condition`: `%t` with one element replaced, or as it was."""

    name = "xla_gpu.predicated_insert"
    E: ClassVar = VarConstraint("E", AnyAttr())
    T: ClassVar = VarConstraint("T", tensor_of_rank(E))
    condition = operand_def(i1)
    value = operand_def(E)
    dest = operand_def(T)
    indices = var_operand_def(INDICES_OF_RANK)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$value `into` $dest `[` $indices `]` `if` $condition attr-dict `:` type($dest)"

    def __init__(self, value: SSAValue, dest: SSAValue, indices: Sequence[SSAValue], condition: SSAValue):
        super().__init__(operands=[condition, value, dest, indices], result_types=[dest.type])


class PureCallSymbolUses(SymbolUserOpInterface):
    """The callee exists and has the type of the call."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, PureCallOp)
        name = op.callee.string_value()
        function = find_function(op, op.callee)
        if function is None:
            raise VerifyException(f"'f' attribute refers to an undefined function: @{name}")
        inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
        if len(op.operands) != len(inputs):
            raise VerifyException(
                f"argument count mismatch: 'operands' has {len(op.operands)} arguments, but '@{name}' expects "
                f"{len(inputs)}"
            )
        if _types(op.operands) != inputs or op.result_types != outputs:
            call_type = FunctionType.from_lists(_types(op.operands), op.result_types)
            raise VerifyException(f"'@{name}' has type '{function.function_type}', but is called as '{call_type}'")


@irdl_op_definition
class PureCallOp(IRDLOperation, InlinableCall, SuggestsNames):
    """A call of a function without side effects: calls with equal arguments may be merged, moved, and removed."""

    name = "xla_gpu.pure_call"
    callee = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def()
    values = var_result_def()
    traits = traits_def(Pure(), PureCallSymbolUses())
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $values)"

    def __init__(self, callee: str | SymbolRefAttr, arguments: Sequence[SSAValue], result_types: Sequence[Attribute]):
        if isinstance(callee, str):
            callee = SymbolRefAttr(callee)
        Operation.__init__(self, operands=arguments, properties={"callee": callee}, result_types=result_types)

    def result_names(self) -> Names:
        return ("pure_call",) * len(self.results)


class ReduceSymbolUses(SymbolUserOpInterface):
    """The combiner exists and works on the element types."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, ReduceOp)
        _verify_combiner(op, op.combiner, op.element_types)


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """
    `reduce(%a, %b) inits(%x, %y) dimensions=[0, 2] combiner=@f`: reduce tensors together over some dimensions.

    `@f` takes the accumulated scalars and then the added ones. The results lack the reduced dimensions.
    """

    name = "xla_gpu.reduce"
    inputs = var_operand_def(REDUCED_INPUTS)
    inits = var_operand_def(ElementTypes(REDUCED_INPUTS.name))
    dimensions = prop_def(ReducedDimensions())
    combiner = prop_def(FlatSymbolRefAttrConstr)
    values = var_result_def(REDUCED_RESULTS)
    irdl_options = (SameVariadicOperandSize(),)
    traits = traits_def(Pure(), ReduceSymbolUses())
    assembly_format = (
        "`` `(` $inputs `)` `inits` `(` $inits `)` `dimensions` `` `=` `` $dimensions `combiner` `` `=` `` $combiner "
        "attr-dict `:` type($inputs) `to` type($values)"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        inits: Sequence[SSAValue],
        dimensions: Sequence[int],
        combiner: str | SymbolRefAttr,
        result_types: Sequence[Attribute] | None = None,
    ):
        if isinstance(combiner, str):
            combiner = SymbolRefAttr(combiner)
        super().__init__(
            operands=[inputs, inits],
            properties={"dimensions": DenseArrayBase.from_list(i64, dimensions), "combiner": combiner},
            result_types=[reduced_types(_types(inputs), dimensions) if result_types is None else result_types],
        )

    @property
    def element_types(self) -> tuple[Attribute, ...]:
        """The element type of each input, which its init and the operands of the combiner have too."""
        return tuple(type.element_type for type in tensor_types(_types(self.inputs)))


class ShuffleReduceSymbolUses(SymbolUserOpInterface):
    """The combiner exists and works on the types of the operands."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, ShuffleReduceOp)
        _verify_combiner(op, op.combiner, _types(op.arguments))


@irdl_op_definition
class ShuffleReduceOp(IRDLOperation):
    """
    `shuffle_reduce(%a, %b) to 16 combiner=@f`: reduce scalars over the threads of a warp, at distances 16, 8, 4, 2, 1.

    Thread 0 of each group of twice the distance holds the result; with `to_all`, which upstream does not have, all of
    the group do.
    """

    name = "xla_gpu.shuffle_reduce"
    T: ClassVar = RangeVarConstraint("T", RangeOf(AnyAttr()))
    combiner = prop_def(FlatSymbolRefAttrConstr)
    max_distance = prop_def(IntegerAttr[I64])
    to_all = opt_prop_def(UnitAttr)
    arguments = var_operand_def(T)
    values = var_result_def(T)
    traits = traits_def(Pure(), ShuffleReduceSymbolUses())
    assembly_format = (
        "`` `(` $arguments `)` `to` $max_distance `combiner` `` `=` `` $combiner (`to_all` $to_all^)? attr-dict"
        " `:` type($arguments)"
    )

    def __init__(
        self, arguments: Sequence[SSAValue], combiner: str | SymbolRefAttr, max_distance: int, to_all: bool = False
    ):
        if isinstance(combiner, str):
            combiner = SymbolRefAttr(combiner)
        super().__init__(
            operands=[arguments],
            properties={
                "combiner": combiner,
                "max_distance": IntegerAttr(max_distance, i64),
                "to_all": UnitAttr() if to_all else None,
            },
            result_types=[_types(arguments)],
        )


@irdl_op_definition
class SyncThreadsOp(IRDLOperation, SuggestsNames):
    """A barrier for the threads of the block. The results are the tensors as all threads see them after it."""

    name = "xla_gpu.sync_threads"
    T: ClassVar = RangeVarConstraint("T", RangeOf(AnyTensorTypeConstr))
    arguments = var_operand_def(T)
    values = var_result_def(T)
    assembly_format = "$arguments attr-dict `:` type($arguments)"

    def __init__(self, arguments: Sequence[SSAValue]):
        super().__init__(operands=[arguments], result_types=[_types(arguments)])

    def result_names(self) -> Names:
        return ("synced_tensor",) * len(self.results)


@irdl_op_definition
class WorkgroupIdOp(IRDLOperation, SuggestsNames):
    """The index of the block (CPU: of the work group) along one dimension of the grid."""

    name = "xla_gpu.workgroup_id"
    dimension = prop_def(DimensionAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$dimension attr-dict"

    def __init__(self, dimension: DimensionAttr):
        super().__init__(properties={"dimension": dimension}, result_types=[INDEX])

    def result_names(self) -> Names:
        return (f"workgroup_id_{self.dimension.data.value}",)
