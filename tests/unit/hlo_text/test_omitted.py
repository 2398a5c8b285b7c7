"""What handwritten HLO text leaves out: shapes, names of operands and computations. XLA says what it means."""

import pytest
from xla_canonical import assert_round_trips

from xshardy.hlo_text import print_hlo, read_hlo

COMPUTATIONS = """HloModule m
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = add(a, b) }
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = compare(a, b), direction=LT }
negated { a = f32[2,3]{0,1} parameter(0)
  ROOT c = negate(a) }
always { a = f32[2,3]{0,1} parameter(0)
  ROOT c = pred[] constant(true) }
pair { a = f32[2,3]{0,1} parameter(0)
  ROOT c = tuple(a) }
"""

PARAMETERS = {
    "x": "f32[4]",
    "y": "f32[2,3]{0,1}",
    "w": "f32[2,3]",
    "z": "f32[]",
    "p": "pred[]",
    "i": "s32[]",
    "k": "c64[2,3]{0,1}",
    "t": "token[]",
    "s": "(f32[4], f32[2,3]{0,1})",
    "m": "s32[2]",
    "q": "f32[3,3]{0,1}",
    "image": "f32[1,8,8,4]",
    "v": "f32[3]",
    "b": "pred[2,3]{0,1}",
    "packed": "s4[2,4]{0,1:E(4)}",
}

INSTRUCTIONS = """
abs(k)
add(w, y)
add-dependency(y, t)
after-all()
after-all(t)
atan2(y, w)
batch-norm-inference(y, v, v, v, v), epsilon=0.1, feature_index=1
batch-norm-training(image, x, x), epsilon=0.1, feature_index=3
call(y), to_apply=pair
cholesky(q)
clamp(z, y, z)
compare(y, w), direction=LT
complex(y, y)
concatenate(y, y), dimensions={0}
conditional(p, y, y), true_computation=negated, false_computation=negated
conditional(i, y, y), branch_computations={negated, negated}
convolution(image, image), window={size=8x8}, dim_labels=b01f_o01i->b01f
copy(y)
domain(y), domain={kind="sharding", entry={}, exit={}}
dot(y, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
erf(y)
exponential(k)
fft(k), fft_type=FFT, fft_length={3}
gather(x, m), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
get-dimension-size(y), dimensions={1}
get-tuple-element(s), index=1
imag(k)
is-finite(y)
map(y, w), dimensions={0,1}, to_apply=sum
not(b)
pad(y, z), padding=1_1x0_0
partition-id()
reduce(y, z), dimensions={0}, to_apply=sum
reduce-window(y, z), window={size=1x2}, to_apply=sum
replica-id()
reverse(y), dimensions={0}
select(b, y, w)
select-and-scatter(y, y, z), window={size=1x1}, select=less, scatter=sum
set-dimension-size(y, i), dimensions={0}
shift-left(m, m)
sort(y), dimensions={0}, to_apply=less
topk(y), k=2, largest=true
transpose(y), dimensions={1,0}
transpose(w), dimensions={1,0}
transpose(image), dimensions={0,2,3,1}
negate(packed)
tuple()
tuple(s, y)
while(y), condition=always, body=negated
""".strip().splitlines()


def module_of(instruction: str) -> str:
    """A module whose ENTRY has `PARAMETERS` and ends with `instruction`."""
    lines = [f"  {name} = {shape} parameter({n})" for n, (name, shape) in enumerate(PARAMETERS.items())]
    return "\n".join([COMPUTATIONS + "ENTRY e {", *lines, f"  ROOT r = {instruction}", "}\n"])


def test_shapes_follow_from_the_operands_as_in_xla():
    texts = {instruction: module_of(instruction) for instruction in INSTRUCTIONS}
    assert_round_trips(texts, {name: print_hlo(read_hlo(text)) for name, text in texts.items()})


@pytest.mark.parametrize(
    ("instruction", "shape"),
    [
        ("slice(y), slice={[0:1],[0:2]}", "f32[1,2]{1,0}"),
        ("dynamic-slice(x, i), dynamic_slice_sizes={2}", "f32[2]{0}"),
        ("fusion(y), kind=kLoop, calls=negated", "f32[2,3]{0,1}"),
        ("opt-barrier(s)", "(f32[4]{0}, f32[2,3]{0,1})"),
    ],
)
def test_shapes_that_xla_does_not_infer_are_known_here(instruction: str, shape: str):
    opcode = instruction.partition("(")[0]
    assert f"ROOT %r = {shape} {opcode}(" in print_hlo(read_hlo(module_of(instruction)))


NAMES = {
    "operands": """HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f32[2] add(f32[2] negate(add(x, x)), add(x, f32[2] parameter(1)))
}
""",
    "constants": """HloModule m
ENTRY e {
  ROOT r = clamp(f32[] constant(0), f32[2,3]{0,1} parameter(0), f32[] constant(6))
}
""",
    "computations": """HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  zero = f32[] constant(0)
  s = reduce(x, zero), dimensions={0}, to_apply={
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT c = add(a, b)
  }
  l = call(s), to_apply={
    a = f32[] parameter(0)
    ROOT c = call(a), to_apply={ ROOT d = negate(f32[] parameter(0)) }
  }
  ROOT t = tuple(s, l)
}
""",
    "header": """HloModule m
ENTRY e (x f32[7], nothing: s32[]) -> f32[2] {
  ROOT x = f32[2] parameter(0)
}
""",
    "string over two lines": """HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f32[2] custom-call(x), custom_call_target="f", backend_config="a
b"
}
""",
    "precision": """HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={HIGH,highest}
}
""",
}


def test_names_that_are_left_out_are_those_of_xla():
    assert_round_trips(NAMES, {name: print_hlo(read_hlo(text)) for name, text in NAMES.items()})
