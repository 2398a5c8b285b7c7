"""Operations with branches, loops, calls and tuples; random numbers; and what only a host or several programs know."""

from collections.abc import Mapping

import numpy as np
from hypothesis import strategies as st
from xdsl.ir import Operation

from partitioning.samples import Draw, Sample, Sampler, array, body, full_extents, program, shapes, tensor
from xshardy.dialects import stablehlo


def conditional(draw: Draw, kind: str) -> Sample:
    """Branches that read tensors from outside, and return one of them or another one."""
    shape = draw(shapes())
    type = tensor(shape, "i32")
    branches = [
        "{ %a = stablehlo.add %x, %y : TYPE stablehlo.return %a, %x : TYPE, TYPE }",
        "{ %b = stablehlo.negate %y : TYPE stablehlo.return %y, %b : TYPE, TYPE }",
    ]
    condition = "i1" if kind == "if" else "i32"
    text = f"""
        func.func public @main(%p: tensor<{condition}>, %x: TYPE, %y: TYPE) -> (TYPE, TYPE) {{
          %r:2 = "stablehlo.{kind}"(%p) ({", ".join(branches)}) : (tensor<{condition}>) -> (TYPE, TYPE)
          func.return %r#0, %r#1 : TYPE, TYPE
        }}""".replace("TYPE", type)
    return Sample(text, [array(draw, [], condition, -1, 2), array(draw, shape, "i32"), array(draw, shape, "i32")])


def while_(draw: Draw) -> Sample:
    """A loop that carries a counter and two tensors, and reads one from outside."""
    shape = draw(shapes())
    text = """
        func.func public @main(%x: TYPE, %y: TYPE, %z: TYPE) -> (TYPE, TYPE) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %three = stablehlo.constant dense<3> : tensor<i32>
          %r:3 = "stablehlo.while"(%zero, %x, %y) ({
          ^bb0(%i: tensor<i32>, %a: TYPE, %b: TYPE):
            %less = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %less : tensor<i1>
          }, {
          ^bb0(%i: tensor<i32>, %a: TYPE, %b: TYPE):
            %next = stablehlo.add %i, %one : tensor<i32>
            %c = stablehlo.add %a, %z : TYPE
            %d = stablehlo.subtract %b, %c : TYPE
            stablehlo.return %next, %d, %c : tensor<i32>, TYPE, TYPE
          }) : (tensor<i32>, TYPE, TYPE) -> (tensor<i32>, TYPE, TYPE)
          func.return %r#1, %r#2 : TYPE, TYPE
        }""".replace("TYPE", tensor(shape, "i32"))
    return Sample(text, [array(draw, shape, "i32") for _ in range(3)])


def composite(draw: Draw) -> Sample:
    shape = draw(shapes())
    text = """
        func.func private @negated(%x: TYPE) -> TYPE {
          %0 = stablehlo.negate %x : TYPE
          func.return %0 : TYPE
        }
        func.func public @main(%x: TYPE) -> TYPE {
          %0 = stablehlo.composite "own.negated" %x {decomposition = @negated} : (TYPE) -> TYPE
          func.return %0 : TYPE
        }""".replace("TYPE", tensor(shape, "i32"))
    return Sample(text, [array(draw, shape, "i32")])


def custom_call(draw: Draw) -> Sample:
    """One that is known and elementwise, or one that nobody knows and that cannot be evaluated."""
    shape = draw(shapes())
    target = draw(st.sampled_from(["mhlo.tan", "mhlo.erf", "unknown", "Cholesky", "Qr"]))
    type = tensor(shape, "f32")
    given = [(array(draw, shape, "f32"), type)]
    is_known = target.startswith("mhlo")
    return program(
        "stablehlo.custom_call",
        given,
        [type],
        properties=f'call_target_name = "{target}"',
        arguments=() if is_known else None,
    )


def tuples(draw: Draw) -> Sample:
    shape = draw(shapes())
    text = """
        func.func public @main(%x: TYPE, %y: TYPE) -> TYPE {
          %0 = stablehlo.tuple %x, %y : tuple<TYPE, TYPE>
          %1 = stablehlo.get_tuple_element %0[1] : (tuple<TYPE, TYPE>) -> TYPE
          func.return %1 : TYPE
        }""".replace("TYPE", tensor(shape, "i32"))
    return Sample(text, [array(draw, shape, "i32") for _ in range(2)])


def optimization_barrier(draw: Draw) -> Sample:
    types = [tensor(shape, "i32") for shape in (draw(shapes()), draw(shapes()))]
    given = [(array(draw, _shape(type), "i32"), type) for type in types]
    return program("stablehlo.optimization_barrier", given, types)


def _shape(type: str) -> list[int]:
    return [int(size) for size in type.removeprefix("tensor<").removesuffix(">").split("x")[:-1]]


def rng_bit_generator(draw: Draw) -> Sample:
    result = tensor(draw(shapes()), draw(st.sampled_from(["ui32", "ui64", "i8"])))
    algorithm = draw(st.sampled_from(["THREE_FRY", "PHILOX"]))
    return program(
        "stablehlo.rng_bit_generator",
        [(np.array([3, 5], np.uint64), "tensor<2xui64>")],
        ["tensor<2xui64>", result],
        properties=f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>",
    )


def rng(draw: Draw) -> Sample:
    shape = draw(shapes(1))
    kind = draw(st.sampled_from(["UNIFORM", "NORMAL"]))
    return program(
        "stablehlo.rng",
        [
            *((np.array(value, np.float32), "tensor<f32>") for value in (1, 4)),
            (None, f"dense<{shape}> : tensor<{len(shape)}xi64>"),
        ],
        [tensor(shape, "f32")],
        properties=f"rng_distribution = #stablehlo<rng_distribution {kind}>",
    )


def tokens(draw: Draw) -> Sample:
    shape = draw(shapes())
    text = """
        func.func public @main(%x: TYPE) -> (TYPE, !stablehlo.token) {
          %0 = stablehlo.create_token : !stablehlo.token
          %1 = stablehlo.after_all %0, %0 : !stablehlo.token
          func.return %x, %1 : TYPE, !stablehlo.token
        }""".replace("TYPE", tensor(shape, "i32"))
    return Sample(text, None)


def host(written: str) -> Sampler:
    """A sampler of an operation that a host takes part in: it is converted, but not evaluated."""

    def sampler(draw: Draw) -> Sample:
        text = f"""
            func.func public @main(%x: TYPE, %t: !stablehlo.token) -> (TYPE, !stablehlo.token) {{
              {written}
            }}"""
        return Sample(text.replace("TYPE", tensor(draw(shapes()), "i32")), None)

    return sampler


CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = {}>, is_host_transfer = true"
INFEED = """%r:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (TYPE, !stablehlo.token)
    func.return %r#0, %r#1 : TYPE, !stablehlo.token"""
OUTFEED = """%r = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}> : (TYPE, !stablehlo.token) -> !stablehlo.token
    func.return %x, %r : TYPE, !stablehlo.token"""
SEND = f"""%r = "stablehlo.send"(%x, %t) <{{{CHANNEL.format(2)}}}> : (TYPE, !stablehlo.token) -> !stablehlo.token
    func.return %x, %r : TYPE, !stablehlo.token"""
RECV = f"""%r:2 = "stablehlo.recv"(%t) <{{{CHANNEL.format(3)}}}> : (!stablehlo.token) -> (TYPE, !stablehlo.token)
    func.return %r#0, %r#1 : TYPE, !stablehlo.token"""


def quantized(kind: str) -> Sampler:
    """Floats that are quantized, and the floats that these stand for."""

    def sampler(draw: Draw) -> Sample:
        shape = draw(shapes())
        plain, compact = tensor(shape, "f32"), tensor(shape, "!quant.uniform<i8:f32, 5.0e-1>")
        there = "%0 = stablehlo.uniform_quantize %x : (PLAIN) -> COMPACT"
        back = "%1 = stablehlo.uniform_dequantize %0 : (COMPACT) -> PLAIN"
        text = f"func.func public @main(%x: PLAIN) -> PLAIN {{ {there} {back} func.return %1 : PLAIN }}"
        return Sample(text.replace("PLAIN", plain).replace("COMPACT", compact), [array(draw, shape, "f32")])

    return sampler


def dynamic(kind: str) -> Sampler:
    """
    An operation whose shape is an operand. It is converted, but not evaluated.

    The shape is an argument: the verifier does not know that it is the shape of the whole result.
    """

    def sampler(draw: Draw) -> Sample:
        shape = draw(shapes(1, 3, full_extents))
        type, sizes = tensor(shape, "i32"), tensor([len(shape)], "i64")
        numbers = ", ".join(map(str, range(len(shape))))
        op, operands, properties = {
            "dynamic_reshape": ("dynamic_reshape", "xs", ""),
            "dynamic_broadcast_in_dim": (
                *("dynamic_broadcast_in_dim", "xs"),
                f"broadcast_dimensions = array<i64: {numbers}>",
            ),
            "dynamic_iota": ("dynamic_iota", "s", "iota_dimension = 0 : i64"),
            "dynamic_pad": ("dynamic_pad", "xosss", ""),
            "real_dynamic_slice": ("real_dynamic_slice", "xsss", ""),
        }[kind]
        types = {"x": type, "s": sizes, "o": "tensor<i32>"}
        arrays = {"x": [array(draw, shape, "i32")], "s": [np.array(shape)], "o": [np.array(0, np.int32)]}
        given = [(arrays[each][0], types[each]) for each in operands]
        return program(f"stablehlo.{op}", given, [type], properties=properties, arguments=None)

    return sampler


def dynamic_gather(draw: Draw) -> Sample:
    rows, columns, count = (draw(full_extents) for _ in range(3))
    numbers = """#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
        index_vector_dim = 1>"""
    return program(
        "stablehlo.dynamic_gather",
        [
            (array(draw, [rows, columns], "i32"), tensor([rows, columns], "i32")),
            (array(draw, [count, 1], "i32"), tensor([count, 1], "i32")),
            (np.array([1, columns]), "tensor<2xi64>"),
        ],
        [tensor([count, columns], "i32")],
        properties=f"dimension_numbers = {numbers}",
        arguments=None,
    )


def dynamic_conv(draw: Draw) -> Sample:
    lhs, rhs = [4, draw(full_extents), 8], [1, 8, 4]
    return program(
        "stablehlo.dynamic_conv",
        [
            (array(draw, lhs, "i32"), tensor(lhs, "i32")),
            (array(draw, rhs, "i32"), tensor(rhs, "i32")),
            (np.array([[0, 0]]), "tensor<1x2xi64>"),
        ],
        [tensor([4, lhs[1], 4], "i32")],
        properties="""batch_group_count = 1 : i64, feature_group_count = 1 : i64,
            dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>""",
        arguments=None,
    )


def set_dimension_size(draw: Draw) -> Sample:
    """The size that is set is known at run time only, and counts elements of the whole dimension."""
    shape = draw(shapes(1, 2, full_extents))
    dim = draw(st.integers(0, len(shape) - 1))
    bounds = ", ".join(str(size) if at == dim else "?" for at, size in enumerate(shape))
    sizes = "x".join("?" if at == dim else str(size) for at, size in enumerate(shape))
    return program(
        "stablehlo.set_dimension_size",
        [(array(draw, shape, "i32"), tensor(shape, "i32")), (array(draw, [], "i32"), "tensor<i32>")],
        [f"tensor<{sizes}xi32, #stablehlo.bounds<{bounds}>>"],
        properties=f"dimension = {dim} : i64",
        arguments=None,
    )


# -- Communication that the program has already -----------------------------------------------------------------------

GROUPS = "replica_groups = dense<0> : tensor<1x1xi64>"
HANDLE = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
"""Between partitions, of which the program for all devices has none: without a sharding, it is refused."""


def collective(name: str, properties: str = "", *, reduces: bool = False) -> Sampler:
    """
    An operation between the only replica and itself; or, with a channel, between partitions, of which only the program
    of one device can know.
    """

    def sampler(draw: Draw) -> Sample:
        shape = draw(shapes(1, sizes=full_extents))
        type = tensor(shape, "i32")
        channel = HANDLE if name != "cross-replica-sum" and draw(st.integers(0, 3)) == 0 else ""
        return program(
            f"stablehlo.{name}",
            [(array(draw, shape, "i32"), type)],
            [type],
            properties=", ".join(filter(None, [properties or GROUPS, channel])),
            regions=f"({body('add', 'i32')})" if reduces else "",
            arguments=None if name == "collective_reduce" else (),
        )

    return sampler


def device_number(name: str) -> Sampler:
    def sampler(draw: Draw) -> Sample:
        return program(f"stablehlo.{name}", [], ["tensor<ui32>"])

    return sampler


def asynchronous(draw: Draw) -> Sample:
    shape = draw(shapes(1))
    text = f"""
        func.func public @main(%x: TYPE) -> TYPE {{
          %0 = "stablehlo.async_start"(%x) ({{
          ^bb0(%z: TYPE):
            %1 = "stablehlo.all_reduce"(%z) <{{{GROUPS}}}> ({body("add", "i32")}) : (TYPE) -> TYPE
            stablehlo.return %1 : TYPE
          }}) : (TYPE) -> !stablehlo.future<TYPE>
          %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<TYPE>) -> TYPE
          func.return %2 : TYPE
        }}""".replace("TYPE", tensor(shape, "i32"))
    return Sample(text, [array(draw, shape, "i32")])


def _if(draw: Draw) -> Sample:
    return conditional(draw, "if")


def _case(draw: Draw) -> Sample:
    return conditional(draw, "case")


SAMPLERS: Mapping[type[Operation], Sampler] = {
    stablehlo.AfterAllOp: tokens,
    stablehlo.AllGatherOp: collective("all_gather", f"all_gather_dim = 0 : i64, {GROUPS}"),
    stablehlo.AllReduceOp: collective("all_reduce", reduces=True),
    stablehlo.AllToAllOp: collective(
        "all_to_all", f"split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, {GROUPS}"
    ),
    stablehlo.AsyncDoneOp: asynchronous,
    stablehlo.AsyncStartOp: asynchronous,
    stablehlo.CaseOp: _case,
    stablehlo.CollectiveBroadcastOp: collective("collective_broadcast"),
    stablehlo.CollectivePermuteOp: collective("collective_permute", "source_target_pairs = dense<0> : tensor<1x2xi64>"),
    stablehlo.CollectiveReduceOp: collective("collective_reduce", reduces=True),
    stablehlo.CompositeOp: composite,
    stablehlo.CreateTokenOp: tokens,
    stablehlo.CrossReplicaSumOp: collective("cross-replica-sum"),
    stablehlo.CustomCallOp: custom_call,
    stablehlo.DynamicBroadcastInDimOp: dynamic("dynamic_broadcast_in_dim"),
    stablehlo.DynamicConvOp: dynamic_conv,
    stablehlo.DynamicGatherOp: dynamic_gather,
    stablehlo.DynamicIotaOp: dynamic("dynamic_iota"),
    stablehlo.DynamicPadOp: dynamic("dynamic_pad"),
    stablehlo.DynamicReshapeOp: dynamic("dynamic_reshape"),
    stablehlo.GetTupleElementOp: tuples,
    stablehlo.IfOp: _if,
    stablehlo.InfeedOp: host(INFEED),
    stablehlo.OptimizationBarrierOp: optimization_barrier,
    stablehlo.OutfeedOp: host(OUTFEED),
    stablehlo.PartitionIdOp: device_number("partition_id"),
    stablehlo.RealDynamicSliceOp: dynamic("real_dynamic_slice"),
    stablehlo.RecvOp: host(RECV),
    stablehlo.ReduceScatterOp: collective("reduce_scatter", f"scatter_dimension = 0 : i64, {GROUPS}", reduces=True),
    stablehlo.ReplicaIdOp: device_number("replica_id"),
    stablehlo.RngBitGeneratorOp: rng_bit_generator,
    stablehlo.RngOp: rng,
    stablehlo.SendOp: host(SEND),
    stablehlo.SetDimensionSizeOp: set_dimension_size,
    stablehlo.TupleOp: tuples,
    stablehlo.UniformDequantizeOp: quantized("uniform_dequantize"),
    stablehlo.UniformQuantizeOp: quantized("uniform_quantize"),
    stablehlo.WhileOp: while_,
}
