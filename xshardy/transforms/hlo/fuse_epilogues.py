"""
What follows a matrix product or a convolution, as part of the library call: its epilogue.

Source: NVIDIA, cublasLtEpilogue_t and cudnnConvolutionBiasActivationForward; XLA:GPU's gemm and convolution rewriters.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import pi, prod, sqrt
from typing import Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import Float32Type, Float64Type, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.extensions.effects import is_trivially_dead
from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.indexing.tensor_maps import minor_to_major, row_major, values_of
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.hlo.expand_library_calls import configuration
from xshardy.transforms.hlo.polynomials import COMBINED, is_equal, number_of, polynomial

Config: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Gemm:
    """A call of cuBLAS, `epilogue(alpha * lhs * rhs + beta * c + bias)`."""

    factors: Sequence[SSAValue]
    config: Config
    addend: SSAValue | None = None
    bias: SSAValue | None = None

    TARGETS: ClassVar = ("__cublas$gemm", "__cublas$lt$matmul")
    TYPES: ClassVar = (Float32Type(), Float64Type())
    """Narrower types are not here: a product would be rounded once instead of twice."""
    ACTIVATIONS: ClassVar = {"relu": "RELU", "gelu": "GELU"}
    ENTRY: ClassVar = "gemm_backend_config"

    @staticmethod
    def of(call: stablehlo.CustomCallOp, config: Config) -> "Gemm":
        """The call, as it is."""
        lhs, rhs, *others = call.operands
        addend = others.pop(0) if config.get("beta") else None
        return Gemm((lhs, rhs), config, addend, others[0] if others else None)

    @property
    def is_activated(self) -> bool:
        """Whether nothing can follow."""
        return self.config.get("epilogue", "DEFAULT") not in ("DEFAULT", "BIAS")

    def _with(self, *, addend: SSAValue | None = None, bias: SSAValue | None = None, **config: Any) -> "Gemm":
        return Gemm(self.factors, {**self.config, **config}, addend or self.addend, bias or self.bias)

    def scaled(self, factor: float) -> "Gemm | None":
        """Times a number: before anything is added."""
        if self.addend is not None or self.bias is not None:
            return None
        return self._with(alpha_real=self.config.get("alpha_real", 1) * factor)

    def plus(self, addend: SSAValue, factor: float) -> "Gemm | None":
        """Plus `factor` times a tensor of the same shape."""
        return self._with(addend=addend, beta=factor) if self.addend is None else None

    def plus_bias(self, bias: SSAValue) -> "Gemm | None":
        """Plus a number for each column."""
        return self._with(bias=bias, epilogue="BIAS") if self.bias is None else None

    def activated(self, function: str) -> "Gemm | None":
        """Its function of that name."""
        name = self.ACTIVATIONS[function]
        return self._with(epilogue=name if self.bias is None else f"BIAS_{name}")

    def call(self, like: stablehlo.CustomCallOp, t: Tensors) -> stablehlo.CustomCallOp:
        """The call that computes this instead of `like`."""
        shape = shape_of(like.results[0])
        addends = [] if self.addend is None else [t.reshape(self.addend, shape)]
        biases = [] if self.bias is None else [t.reshape(self.bias, shape[-1:])]
        is_plain = not addends and not biases and not self.is_activated
        target = self.TARGETS[0 if is_plain else 1]
        return stablehlo.CustomCallOp(target, [*self.factors, *addends, *biases], like.result_types)


@dataclass(frozen=True, slots=True)
class Convolution:
    """A forward convolution of cuDNN, `activation(scale * convolution + side_scale * side + bias)`."""

    factors: Sequence[SSAValue]
    config: Config
    bias: SSAValue | None = None
    side: SSAValue | None = None

    TARGETS: ClassVar = ("__cudnn$convForward", "__cudnn$convBiasActivationForward")
    TYPES: ClassVar = (Float32Type(),)
    ACTIVATIONS: ClassVar = {"relu": "kRelu"}
    ENTRY: ClassVar = "cudnn_conv_backend_config"

    @staticmethod
    def of(call: stablehlo.CustomCallOp, config: Config) -> "Convolution":
        """The call, as it is."""
        x, w, *others = call.operands
        bias, side = (*others, None, None)[:2]
        return Convolution((x, w), config, bias, side)

    @property
    def is_activated(self) -> bool:
        """Whether nothing can follow."""
        return self.config.get("activation_mode", "kNone") != "kNone"

    def scaled(self, factor: float) -> "Convolution | None":
        """Times a number: before anything is added."""
        if self.bias is not None or self.side is not None:
            return None
        scale = self.config.get("conv_result_scale", 1) * factor
        return Convolution(self.factors, {**self.config, "conv_result_scale": scale})

    def plus(self, addend: SSAValue, factor: float) -> "Convolution | None":
        """Plus `factor` times a tensor of the same shape."""
        if self.side is not None:
            return None
        return Convolution(self.factors, {**self.config, "side_input_scale": factor}, self.bias, addend)

    def plus_bias(self, bias: SSAValue) -> "Convolution | None":
        """Plus a number for each feature, the last dimension."""
        return Convolution(self.factors, self.config, bias, self.side) if self.bias is None else None

    def activated(self, function: str) -> "Convolution | None":
        """Its function of that name, if cuDNN has it."""
        if (name := self.ACTIVATIONS.get(function)) is None:
            return None
        return Convolution(self.factors, {**self.config, "activation_mode": name}, self.bias, self.side)

    def call(self, like: stablehlo.CustomCallOp, t: Tensors) -> stablehlo.CustomCallOp:
        """The call that computes this instead of `like`. With an epilogue, it has a bias: zeros, if there is none."""
        if self.bias is None and self.side is None and not self.is_activated:
            return stablehlo.CustomCallOp(self.TARGETS[0], self.factors, like.result_types)
        shape = shape_of(like.results[0])
        features = shape[-1:]
        bias = t.constant(0, Float32Type(), features) if self.bias is None else t.reshape(self.bias, features)
        sides = [] if self.side is None else [t.reshape(self.side, shape)]
        return stablehlo.CustomCallOp(self.TARGETS[1], [*self.factors, bias, *sides], like.result_types)


Library: TypeAlias = Gemm | Convolution

LIBRARIES: Mapping[str, type[Gemm] | type[Convolution]] = {
    target: kind for kind in (Gemm, Convolution) for target in kind.TARGETS
}


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that a library call computes, perhaps in another shape."""

    value: SSAValue
    op: stablehlo.CustomCallOp
    call: Library

    @staticmethod
    def of(value: SSAValue) -> "Computed | None":
        """`value`, if a call computes it, or the only reshape that reads a call, and something can follow that."""
        op = value.owner
        if isinstance(op, stablehlo.ReshapeOp) and op.operand.has_one_use():
            op = op.operand.owner
        if not isinstance(op, stablehlo.CustomCallOp) or op.call_target_name.data not in LIBRARIES:
            return None
        kind = LIBRARIES[op.call_target_name.data]
        if element_type(value) not in kind.TYPES or not has_features_last(op):
            return None
        call = kind.of(op, configuration(op).get(kind.ENTRY, {}))
        return None if call.is_activated else Computed(value, op, call)

    @property
    def columns(self) -> int | None:
        """The number of columns or features, if they are the last dimension of the value and there are no batches."""
        result = self.op.results[0]
        is_matrix = isinstance(self.call, Convolution) or len(shape_of(result)) == 2
        columns = shape_of(result)[-1]
        return columns if is_matrix and shape_of(self.value)[-1:] == (columns,) else None

    def replace(self, root: Operation, call: Library | None, rewriter: PatternRewriter) -> None:
        """Let `call` compute what `root` computes now. Nothing changes if there is no such call."""
        if call is None:
            return
        t = Tensors(rewriter)
        made = call.call(self.op, t)
        made.attributes.update(self.op.attributes)
        made.attributes[BACKEND_CONFIG] = StringAttr(json.dumps({call.ENTRY: dict(call.config)}))
        waiting = [operand.owner for operand in root.operands]
        rewriter.replace(root, (), [t.reshape(t(made), shape_of(self.value))])
        while waiting:  # down to the call that was, which is not dead by itself
            op = waiting.pop()
            if not isinstance(op, Operation) or op.parent is None:
                continue
            if is_trivially_dead(op) or (op is self.op and not op.results[0].uses.get_length()):
                waiting += [operand.owner for operand in op.operands]
                rewriter.erase(op)


def has_features_last(op: stablehlo.CustomCallOp) -> bool:
    """Whether the last dimension of the result is that of columns, or of the features of a convolution."""
    labels = op.attributes.get("hlo.dim_labels")
    return not isinstance(labels, StringAttr) or labels.data.endswith("f")


def computed_once(value: SSAValue) -> Computed | None:
    """`value`, if a library call computes it for one reader."""
    return Computed.of(value) if value.has_one_use() else None


def pairs(op: Operation) -> list[tuple[Computed, SSAValue]]:
    """The operands of `op` that library calls compute, each with the other operand."""
    one, other = op.operands
    found = [(computed_once(one), other), (computed_once(other), one)]
    return [(computed, rest) for computed, rest in found if computed is not None and one is not other]


def bias_of(value: SSAValue, computed: Computed) -> SSAValue | None:
    """The tensor that `value` broadcasts along all but the last dimension; None if it is something else."""
    op, columns = value.owner, computed.columns
    if not isinstance(op, stablehlo.BroadcastInDimOp) or columns is None:
        return None
    places = zip(values_of(op.broadcast_dimensions), shape_of(op.operand), strict=True)
    if [place for place, size in places if size != 1] != [len(shape_of(value)) - 1]:
        return None
    vector = op.operand
    while isinstance(vector.owner, stablehlo.BroadcastInDimOp | stablehlo.ReshapeOp):
        if prod(shape_of(vector.owner.operands[0])) != columns:
            break
        vector = vector.owner.operands[0]
    return vector


def is_in_memory(value: SSAValue) -> bool:
    """
    Whether `value` is in memory whatever is fused, in row-major order.

    It is an argument, what a call or a region computes, or a result that several operations read.
    """
    while isinstance(value.owner, stablehlo.ReshapeOp):
        value = value.owner.operand
    if minor_to_major(value) != row_major(shape_of(value)):
        return False
    if isinstance(value.owner, Block) or value.owner.regions or isinstance(value.owner, stablehlo.CustomCallOp):
        return True
    return value.owner.has_trait(Elementwise) and not value.has_one_use() and number_of(value) is None


class FuseScale(RewritePattern):
    """`multiply (gemm %x, %y), c` -> `gemm %x, %y {alpha = c}`, for a number that is not 0."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.MulOp, rewriter: PatternRewriter, /):
        for computed, other in pairs(op):
            number = number_of(other)
            if number and abs(number) < float("inf"):
                computed.replace(op, computed.call.scaled(number), rewriter)
                return


class FuseBias(RewritePattern):
    """`add (gemm %x, %y), (broadcast_in_dim %b)` -> `gemm %x, %y, %b {epilogue = BIAS}`, for a number per column."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.AddOp, rewriter: PatternRewriter, /):
        for computed, other in pairs(op):
            if (bias := bias_of(other, computed)) is not None:
                computed.replace(op, computed.call.plus_bias(bias), rewriter)
                return


class FuseAddend(RewritePattern):
    """`add (gemm %x, %y), %c` -> `gemm %x, %y, %c {beta = 1}`, for a tensor that is in memory."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.AddOp, rewriter: PatternRewriter, /):
        for computed, other in pairs(op):
            if is_in_memory(other):
                computed.replace(op, computed.call.plus(other, 1), rewriter)
                return


class FuseSubtraction(RewritePattern):
    """`subtract %c, (gemm %x, %y)` -> `gemm %x, %y, %c {alpha = -1, beta = 1}`, and the other way round."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.SubtractOp, rewriter: PatternRewriter, /):
        for computed, other in pairs(op):
            if is_in_memory(other):
                is_first = op.lhs is computed.value
                call = computed.call if is_first else computed.call.scaled(-1)
                if call is not None:
                    computed.replace(op, call.plus(other, -1 if is_first else 1), rewriter)
                return


class FuseRelu(RewritePattern):
    """`maximum (gemm %x, %y), 0` -> `gemm %x, %y {epilogue = RELU}`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.MaxOp, rewriter: PatternRewriter, /):
        for computed, other in pairs(op):
            if number_of(other) == 0:
                computed.replace(op, computed.call.activated("relu"), rewriter)
                return


@dataclass(frozen=True, slots=True)
class Formula:
    """The elementwise operations that compute a value, and what they start from, without numbers."""

    operations: Collection[Operation]
    leaves: Collection[SSAValue]

    @staticmethod
    def of(value: SSAValue, kinds: Collection[type[Operation]]) -> "Formula":
        """The operations of `kinds` that compute `value`. At most `LARGEST_FORMULA` are followed."""
        operations: dict[Operation, None] = {}
        leaves: dict[SSAValue, None] = {}
        waiting = [value]
        while waiting:
            value = waiting.pop()
            op = value.owner
            if isinstance(op, Operation) and type(op) in kinds and len(operations) < LARGEST_FORMULA:
                if op not in operations:
                    operations[op] = None
                    waiting += op.operands
            elif number_of(value) is None:
                leaves[value] = None
        return Formula([*operations], [*leaves])

    def is_closed(self, variable: SSAValue) -> bool:
        """Whether it starts from `variable` alone, and nothing else reads that or what is computed on the way."""
        root, *others = self.operations
        inner = (variable, *(op.results[0] for op in others))
        inside = {root, *others}
        return [*self.leaves] == [variable] and all(use.operation in inside for value in inner for use in value.uses)


LARGEST_FORMULA = 32
"""The number of operations of a formula. GELU has ten."""


def only_reader(op: Operation) -> Operation | None:
    """The operation that alone reads the result of `op`; None if there are several uses, or none."""
    uses = op.results[0].uses
    return next(iter(uses)).operation if op.results[0].has_one_use() else None


GELU_TANH = {(1, 0): sqrt(2 / pi), (3, 0): 0.044715 * sqrt(2 / pi)}
"""The argument of the hyperbolic tangent, `sqrt(2 / pi) * (x + 0.044715 * x^3)`."""

GELU = {(1, 0): 0.5, (1, 1): 0.5}
"""`0.5 * x + 0.5 * x * tanh(...)`"""


class FuseGelu(RewritePattern):
    """
    `0.5 * g * (1 + tanh(sqrt(2 / pi) * (g + 0.044715 * g^3)))` of `%g = gemm %x, %y` -> `gemm %x, %y {epilogue = GELU}`

    Nothing else may read `%g`, or what is computed on the way.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.TanhOp, rewriter: PatternRewriter, /):
        variables = Formula.of(op.operand, COMBINED).leaves
        if len(variables) != 1 or (computed := Computed.of(*variables)) is None:
            return
        numbers = {computed.value: 0, op.result: 1}
        argument = polynomial(op.operand, numbers)
        if argument is None or not is_equal(argument, GELU_TANH):
            return
        reader = only_reader(op)
        while reader is not None and (value := polynomial(reader.results[0], numbers)) is not None:
            if is_equal(value, GELU):
                formula = Formula.of(reader.results[0], {*COMBINED, stablehlo.TanhOp})
                if formula.is_closed(computed.value):
                    computed.replace(reader, computed.call.activated("gelu"), rewriter)
                return
            reader = only_reader(reader)


class FuseEpiloguesPass(PatternPass):
    """
    Let library calls do what follows them: scaling, a bias, the sum with another tensor, ReLU, GELU.

    Only for f32 and f64, whose numbers are the same then, but for the order of the sums. ReLU of NaN is up to the
    library.
    """

    name = "hlo-fuse-epilogues"
    source: ClassVar[str] = "XLA:GPU's gemm and convolution rewriters; NVIDIA, cublasLtEpilogue_t"
    fixed_patterns = (FuseScale(), FuseBias(), FuseAddend(), FuseSubtraction(), FuseRelu(), FuseGelu())
