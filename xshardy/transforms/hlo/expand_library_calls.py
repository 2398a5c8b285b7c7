"""From a library call to the operations of StableHLO that compute its results."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import StringAttr, TensorType, TupleType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.hlo.library_calls.convolution import KINDS, Convolution, convolution
from xshardy.transforms.hlo.library_calls.matmul import matmul
from xshardy.transforms.hlo.library_calls.scalars import LibraryCallError

MATMULS = ("__cublas$gemm", "__cublas$lt$matmul")
TARGETS = frozenset({*MATMULS, *KINDS})
"""The targets of custom calls that have an expansion."""


def expand(op: stablehlo.CustomCallOp, t: Tensors) -> list[SSAValue]:
    """
    The first tensors that `op`, a call of one of `TARGETS`, returns; all but workspace, which has no contents.

    Raises `LibraryCallError` for a configuration that is not supported.
    """
    target = op.call_target_name.data
    types = cast(list[TensorType], [type for result in op.results for type in elements(result.type)])
    config = configuration(op)
    if target in MATMULS:
        return matmul(op.operands, types, config.get("gemm_backend_config", config), t)
    settings = config.get("cudnn_conv_backend_config", config)
    return [convolution(target, geometry(op), op.operands, types[0], settings, t)]


def configuration(op: stablehlo.CustomCallOp) -> Mapping[str, Any]:
    """The `backend_config` of `op`, empty if it has none. Raises `LibraryCallError` if it is no JSON dictionary."""
    text = _text(op, BACKEND_CONFIG) or "{}"
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise LibraryCallError(
            f"the backend_config of a call of {op.call_target_name.data} is no JSON: {error}"
        ) from None
    if not isinstance(config, dict):
        raise LibraryCallError(f"the backend_config of a call of {op.call_target_name.data} is no dictionary: {text}")
    return cast(dict[str, Any], config)


def geometry(op: stablehlo.CustomCallOp) -> Convolution:
    """The forward convolution of a call of cuDNN."""
    groups = int(_text(op, "hlo.feature_group_count") or 1)
    precision = _text(op, "hlo.operand_precision")
    return Convolution.of(_text(op, "hlo.window"), _text(op, "hlo.dim_labels"), groups, precision)


def _text(op: Operation, name: str) -> str:
    attribute = op.attributes.get(name)
    return attribute.data if isinstance(attribute, StringAttr) else ""


class ExpandLibraryCall(RewritePattern):
    """`custom_call @__cublas$gemm(%x, %y)` -> `dot_general %x, %y`, and the like for each of `TARGETS`."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CustomCallOp, rewriter: PatternRewriter, /):
        if op.call_target_name.data not in TARGETS:
            return
        results = expand(op, Tensors(rewriter))
        users = [use.operation for result in op.results for use in result.uses]
        if isinstance(op.results[0].type, TupleType):
            for user in users:
                if not isinstance(user, stablehlo.GetTupleElementOp) or user.index.value.data >= len(results):
                    raise LibraryCallError(f"{user.name} reads the workspace of a call of {op.call_target_name.data}")
                rewriter.replace(user, (), [results[user.index.value.data]])
            rewriter.erase(op)
        else:
            rewriter.replace(op, (), results[:1])


class ExpandLibraryCallsPass(PatternPass):
    """Replace calls of cuBLAS and cuDNN by operations of StableHLO that compute the same."""

    name = "hlo-expand-library-calls"
    source: ClassVar[str] = "XLA, cublas_cudnn.h, backend_configs.proto"
    fixed_patterns = (ExpandLibraryCall(),)
