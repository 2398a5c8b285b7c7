"""Every kind of bad input gives one diagnostic with its place, and never another exception."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis.strategies import binary, integers, sampled_from, text

from xshardy.hlo_text import HLOError, HLOPrintError, parse_hlo, print_hlo, read_hlo

GELU = """HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}

fused {
  p = f32[4,5] parameter(0)
  q = s32[4] parameter(1)
  zero = f32[] constant(0)
  rows = f32[4] reduce(p, zero), dimensions={1}, to_apply=add
  c = f32[4] convert(q)
  ROOT t = (f32[4], f32[4]) tuple(rows, c)
}

ENTRY main {
  p = f32[4,5] parameter(0)
  q = s32[4] parameter(1)
  ROOT fusion = (f32[4], f32[4]) fusion(p, q), kind=kLoop, calls=fused
}
"""


def in_entry(*lines: str) -> str:
    return "\n".join(["HloModule m", "ENTRY main {", *lines, "}"])


X = "x = f32[2] parameter(0)"
PIN = 'b = b(f32[2]) custom-call(x), custom_call_target="Pin"'
UNPIN = 'f32[2] custom-call(b), custom_call_target="Unpin"'


def applying_f(line: str) -> str:
    """`line` is line 8; it can apply `f`, a computation of two scalars, to `x`."""
    f = ["f {", "a = f32[] parameter(0)", "b = f32[] parameter(1)", "}"]
    return "\n".join(["HloModule m", *f, "ENTRY main {", X, line, "}"])


def with_computations(*lines: str) -> str:
    """`lines` from line 12 on; they can apply `always`, `same` and `larger`, computations of an array, to `x`."""
    return "\n".join(
        [
            *("HloModule m", "always {", X, "ROOT r = pred[] constant(true)", "}", "same { " + X, "}"),
            *(
                "larger { " + X,
                "ROOT y = f32[3] constant({1, 2, 3}) }",
                f"ENTRY main {{ {X}",
                "p = pred[] parameter(1)",
            ),
            *(*lines, "}"),
        ]
    )


CASES = {
    # Computations.
    "a name in braces": (
        in_entry(X, "y = f32[2] call(x), to_apply={%absent}"),
        4,
        31,
        "expected instructions, found a name",
    ),
    # Numbers of attributes.
    "a float that no f32 is": (
        in_entry(X, "y = (f32[2], f32[2], f32[2]) batch-norm-training(x, x, x), epsilon=1e39, feature_index=0"),
        4,
        68,
        "1e39 is out of range for type f32",
    ),
    "a float that no f64 is": (
        in_entry(X, "y = f32[2] exponential(x), result_accuracy={tolerance={atol=-1e309}}"),
        4,
        61,
        "-1e309 is out of range for type f64",
    ),
    # What the text as a whole can be.
    "empty file": ("", 1, 1, "expected an HLO module, found the end of the file"),
    "only white space": (" \n\n", 1, 1, "expected an HLO module, found the end of the file"),
    "only a header": ("HloModule m", 1, 12, "expected a computation, found the end of the file"),
    "only a comment": ("// RUN: x", 1, 10, "expected an HLO module"),
    "binary garbage": ("\x7fELF\x00\x01", 1, 1, "expected an HLO module, found '\\x7f'"),
    "another language": ("module { }", 1, 8, "computation 'module' has no instructions"),
    "no name": ("HloModule {", 1, 11, "expected the name of the module"),
    "unclosed brace in the header": ("HloModule m, a={{", 1, 16, "this brace is not closed"),
    "unclosed comment": ("HloModule m /* a\n", 1, 13, "this comment is not closed"),
    "unclosed string": ('HloModule m, a="b\n', 1, 16, "this string is not closed"),
    "two entries": ("HloModule m\nENTRY a {\n" + X + "\n}\nENTRY b {\n" + X + "\n}", 5, 1, "a module has one ENTRY"),
    # Computations.
    "unclosed computation": ("HloModule m\nENTRY main {\n" + X, 2, 12, "computation 'main' is not closed"),
    "no instructions": ("HloModule m\nENTRY main {}", 2, 12, "computation 'main' has no instructions"),
    "computation twice": (
        "HloModule m\na {\n" + X + "\n}\na {\n" + X + "\n}",
        5,
        1,
        "computation 'a' is defined twice",
    ),
    "two roots": (in_entry("ROOT " + X, "ROOT y = f32[2] negate(x)"), 4, 1, "a computation has one ROOT"),
    "result of the header": (
        "HloModule m\nENTRY main (x: f32[2]) -> f32[3] {\n" + X + "\n}",
        2,
        12,
        "the result is f32[3] in the header and f32[2] in the body",
    ),
    "recursive call": (
        "HloModule m\nf {\n" + X + "\nROOT y = f32[2] call(x), to_apply=f\n}",
        4,
        35,
        "recursive call: computation 'f' calls itself",
    ),
    "mutual recursion": (
        "HloModule m\nf {\n" + X + "\nROOT y = f32[2] call(x), to_apply=g\n}\ng {\n" + X + "\n}",
        4,
        35,
        "computation 'g' is not defined",
    ),
    "no such computation": (
        in_entry(X, "y = f32[2] fusion(x), kind=kLoop, calls=f"),
        4,
        41,
        "computation 'f' is not defined",
    ),
    # Instructions.
    "duplicate name": (in_entry(X, "x = f32[2] negate(x)"), 4, 1, "'x' is defined twice in computation 'main'"),
    "no equals sign": (in_entry("x f32[2] parameter(0)"), 3, 3, "expected '=', found 'f32[2]'"),
    "no shape": (in_entry(X, "y = convert(x)"), 4, 5, "convert: its shape does not follow from its operands"),
    "no shape of a constant": (in_entry("y = constant(1)"), 3, 5, "constant: its shape does not follow"),
    "no shape of an opcode that is none": (in_entry(X, "y = negatee(x)"), 4, 5, "unknown opcode 'negatee'"),
    "no shape of a start": (in_entry(X, "y = copy-start(x)"), 4, 5, "copy-start: its shape does not follow"),
    "no shape, and a wrong operand": (in_entry(X, "y = get-tuple-element(x), index=0"), 4, 5, "is not a tuple"),
    "no shape, and an index out of range": (
        in_entry(X, "t = tuple(x)", "y = get-tuple-element(t), index=1"),
        5,
        5,
        "index 1 is out of range for a tuple of 1",
    ),
    "no shape, and operands that do not fit": (
        in_entry(X, "z = f32[3] parameter(1)", "y = dot(x, z), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
        5,
        5,
        "contracting dimension sizes must match for lhs/rhs",
    ),
    "one bit": (in_entry("x = s1[2] parameter(0)"), 3, 5, "the element type s1 is not supported"),
    "one bit, unsigned": (in_entry(X, "y = u1[2]{0:E(1)} convert(x)"), 4, 5, "the element type u1 is not supported"),
    # Buffers.
    "buffer of a buffer": (in_entry("x = b(b(f32[2])) parameter(0)"), 3, 5, "a buffer of b(f32[2])"),
    "buffer of a tuple": (in_entry("x = b((f32[2], s32[])) parameter(0)"), 3, 5, "a buffer of (f32[2], s32[])"),
    "buffer of a token": (in_entry("x = b(token[]) parameter(0)"), 3, 5, "a buffer of token[]"),
    "dynamic buffer": (in_entry("x = b(f32[<=2]) parameter(0)"), 3, 5, "a buffer of f32[<=2], which has a dynamic"),
    "open buffer": (in_entry("x = b(f32[2] parameter(0)"), 3, 14, "expected ')', found 'parameter'"),
    "buffer with white space": (in_entry("x = b (f32[2]) parameter(0)"), 3, 5, "unknown opcode 'b'"),
    "buffer of the caller": (in_entry("x = b(f32[2]) parameter(0)"), 3, 15, "a parameter of ENTRY is a buffer"),
    "sum of buffers": (in_entry(X, PIN, "y = b(f32[2]) add(b, b)"), 5, 15, "add: operand 0 is a buffer"),
    "called with a buffer": (
        "HloModule m\nf {\nROOT p = b(f32[2]) parameter(0)\n}\nENTRY main {\n"
        + f"{X}\n{PIN}\ny = b(f32[2]) call(b), to_apply=f\n}}",
        8,
        15,
        "call: operand 0 is a buffer",
    ),
    "buffer that is unpinned twice": (
        in_entry(X, PIN, f"y = {UNPIN}", f"z = {UNPIN}"),
        4,
        15,
        "this buffer is written or unpinned more than once",
    ),
    "buffer in a tuple that is unpinned too": (
        in_entry(
            X,
            PIN,
            "t = tuple(x, b)",
            "b2 = get-tuple-element(t), index=1",
            f"y = {UNPIN}",
            "z = " + UNPIN.replace("(b)", "(b2)"),
        ),
        4,
        15,
        "this buffer is written or unpinned more than once",
    ),
    "buffer that a loop returns and unpins": (
        f"HloModule m\nbody {{\nt = (b(f32[2])) parameter(0)\nb = get-tuple-element(t), index=0\ny = {UNPIN}\n"
        "ROOT r = tuple(b)\n}\n",
        3,
        17,
        "this buffer is written or unpinned more than once",
    ),
    "buffer that is pinned": (
        in_entry(X, PIN, 'y = b(f32[2]) custom-call(b), custom_call_target="Pin"'),
        5,
        15,
        "Pin custom_call should have a tensor input",
    ),
    "buffer that comes from nowhere": (
        in_entry(X, 'y = b(f32[2]) custom-call(x), custom_call_target="f"'),
        4,
        15,
        "buffer output [] is not used in output_operand_alias",
    ),
    "aliases that are none": (
        in_entry(X, 'y = f32[2] custom-call(x), custom_call_target="f", output_to_operand_aliasing={0}'),
        4,
        12,
        "output_to_operand_aliasing={0}",
    ),
    "alias of an operand that is not there": (
        in_entry(X, 'y = f32[2] custom-call(x), custom_call_target="f", output_to_operand_aliasing={{}: (1, {})}'),
        4,
        12,
        "expects operandIndex in the output_operand_alias attribute to be in range",
    ),
    "attributes of an operand": (
        in_entry(X, "y = f32[2] negate(slice(x), slice={[0:1]})"),
        4,
        19,
        "slice: attribute 'slice' is missing",
    ),
    "start as an operand": (
        in_entry(X, "y = f32[2] copy-done((f32[2], f32[2], u32[]) copy-start(x))"),
        4,
        46,
        "copy-start cannot be an operand",
    ),
    "deep operands": (in_entry(X, "y = " + "negate(" * 1000 + "x" + ")" * 1000), 4, 292, "nested more than 40 deep"),
    "deep computations": (
        in_entry("z = f32[2] parameter(0) w = " + "call(z), to_apply={ z = f32[2] parameter(0) w = " * 1000),
        3,
        1967,
        "nested more than 40 deep",
    ),
    "no opcode": (in_entry("x = f32[2] (0)"), 3, 12, "expected an opcode, found '('"),
    "unknown opcode": (in_entry(X, "y = f32[2] negatee(x)"), 4, 12, "unknown opcode 'negatee'"),
    "missing computation": (
        in_entry(X, "y = f32[2] sort(x), dimensions={0}"),
        4,
        12,
        "sort: attribute 'to_apply' is missing",
    ),
    "undefined operand": (in_entry(X, "z = f32[2] negate(y)"), 4, 19, "undefined operand 'y'"),
    "operand defined below": (
        in_entry(X, "z = f32[2] negate(y)", "y = f32[2] negate(x)"),
        4,
        19,
        "undefined operand 'y'",
    ),
    "operand of another shape": (
        in_entry(X, "y = f32[2] negate(f32[3] x)"),
        4,
        19,
        "operand 'x' is f32[2], not f32[3]",
    ),
    "number of operands": (in_entry(X, "y = f32[2] add(x)"), 4, 12, "add: takes 2 operand(s), got 1"),
    "missing comma": (in_entry(X, "y = f32[2] add(x x)"), 4, 18, "expected ',' or ')', found 'x'"),
    "unclosed operands": (in_entry(X, "y = f32[2] negate(x"), 5, 1, "expected ',' or ')', found '}'"),
    "shape mismatch": (in_entry(X, "y = f32[3] negate(x)"), 4, 12, "negate: requires the same shape"),
    "element type mismatch": (in_entry(X, "y = s32[2] negate(x)"), 4, 12, "negate: inferred type(s)"),
    "element type not taken": (in_entry(X, "y = f32[2] and(x, x)"), 4, 12, "and: must be ranked tensor of"),
    "tuple for an array": (in_entry(X, "y = (f32[2]) negate(x)"), 4, 14, "negate: gives one array"),
    "tuple as operand": (
        in_entry(X, "y = (f32[2]) tuple(x)", "z = f32[2] negate(y)"),
        5,
        12,
        "negate: operand 0 is a tuple",
    ),
    "element of no tuple": (
        in_entry(X, "y = f32[2] get-tuple-element(x), index=0"),
        4,
        12,
        "the operand is not a tuple",
    ),
    "tuple index": (
        in_entry(X, "t = (f32[2]) tuple(x)", "y = f32[2] get-tuple-element(t), index=1"),
        5,
        12,
        "index 1 is out of range for a tuple of 1",
    ),
    "tuple of another shape": (in_entry(X, "y = (f32[3]) tuple(x)"), 4, 14, "tuple: gives (f32[2]), not (f32[3])"),
    "broadcast of size 1": (
        in_entry("x = f32[1] parameter(0)", "y = f32[2] broadcast(x), dimensions={0}"),
        4,
        12,
        "broadcast: dimension 0 of the operand has size 1",
    ),
    "slice out of bounds": (in_entry(X, "y = f32[3] slice(x), slice={[0:3]}"), 4, 12, "limit index 3 is larger"),
    "reduce without initial values": (
        "HloModule m\nf {\na = f32[] parameter(0)\n}\nENTRY main {\n"
        + X
        + "\ny = f32[] reduce(x), dimensions={0}, to_apply=f\n}",
        7,
        11,
        "reduce: takes as many arrays as initial values, got 1 operand(s)",
    ),
    "fusion of other types": (
        "HloModule m\nf {\na = f32[3] parameter(0)\n}\nENTRY main {\n"
        + X
        + "\ny = f32[3] fusion(x), kind=kLoop, calls=f\n}",
        7,
        12,
        "fusion: operand types 'tensor<2xf32>' differ from those of the callee @f: 'tensor<3xf32>'",
    ),
    # Parameters and constants.
    "parameter twice": (in_entry(X, "y = f32[2] parameter(0)"), 4, 12, "parameter 0 is defined twice"),
    "parameter missing": (
        in_entry("x = f32[2] parameter(1)"),
        2,
        12,
        "computation 'main' has parameter 1, but no parameter 0",
    ),
    "negative parameter": (in_entry("x = f32[2] parameter(-1)"), 3, 12, "parameter -1 is negative"),
    "no parameter number": (in_entry("x = f32[2] parameter()"), 3, 22, "expected the number of the parameter"),
    "enormous number": (in_entry(f"x = f32[2] parameter({'9' * 5000})"), 3, 22, "this number is too large"),
    "tuple constant": (
        in_entry("x = (f32[2]) constant({1, 2})"),
        3,
        23,
        "expected '(': the value of (f32[2]) is a tuple",
    ),
    "number without braces for too many elements": (
        in_entry("x = f32[1000000,1000000] constant(1)"),
        3,
        35,
        "is the first of 1000000000000 elements",
    ),
    "elided part of a constant": (
        in_entry("x = (f32[2]) constant(({...}))"),
        3,
        24,
        "left out when the text was printed",
    ),
    # Shapes.
    "element type": (in_entry("x = f33[2] parameter(0)"), 3, 5, "unknown element type 'f33'"),
    "negative dimension": (in_entry("x = f32[-2] parameter(0)"), 3, 5, "'-2' is not the size of a dimension"),
    "dimension too large": (in_entry("x = f32[99999999999999999999] parameter(0)"), 3, 5, "does not fit into 64 bits"),
    "layout": (in_entry("x = f32[2,3]{0} parameter(0)"), 3, 5, "layout {0} is not a permutation of the 2 dimensions"),
    "unclosed shape": (in_entry("x = f32[2 parameter(0)"), 3, 5, "expected a shape, found 'f32'"),
    # Attributes.
    "unknown attribute": (in_entry(X, "y = f32[2] negate(x), foo=3"), 4, 23, "negate: unknown attribute 'foo'"),
    "missing attribute": (in_entry("x = s32[2] iota()"), 3, 12, "iota: attribute 'iota_dimension' is missing"),
    "attribute twice": (
        in_entry("x = s32[2] iota(), iota_dimension=0, iota_dimension=0"),
        3,
        38,
        "attribute 'iota_dimension' is given twice",
    ),
    "direction": (
        in_entry(X, "y = pred[2] compare(x, x), direction=XX"),
        4,
        38,
        "expected a comparison direction, found 'XX'",
    ),
    "order and type": (
        in_entry(X, "y = pred[2] compare(x, x), direction=LT, order=TOTAL, type=FLOAT"),
        4,
        13,
        "compare: type and order say the same: leave one of the two out",
    ),
    "order": (
        in_entry(X, "y = pred[2] compare(x, x), direction=LT, order=LESS"),
        4,
        48,
        "expected the order of a comparison, found 'LESS'",
    ),
    "element of an array": (
        in_entry(X, "y = f32[2] negate(%x#0)"),
        4,
        19,
        "get-tuple-element: the operand is not a tuple",
    ),
    "element without an index": (in_entry(X, "y = f32[2] negate(%x#y)"), 4, 22, "expected the index of an element"),
    "fusion kind": (
        in_entry(X, "y = f32[2] fusion(x), kind=loop, calls=f"),
        4,
        28,
        "expected a fusion kind, found 'loop'",
    ),
    "padding": (
        in_entry("x = f32[] parameter(0)", "y = f32[] pad(x, x), padding=1"),
        4,
        30,
        "expected padding, found '1'",
    ),
    "slice": (in_entry(X, "y = f32[2] slice(x), slice={0:2}"), 4, 29, "expected '[', found '0'"),
    "integer list": (in_entry(X, "y = f32[2] reverse(x), dimensions={a}"), 4, 36, "expected an integer, found 'a'"),
    "huge integer": (
        in_entry(X, f"y = f32[2] reverse(x), dimensions={{{10**20}}}"),
        4,
        36,
        "does not fit into 64 bits",
    ),
    "huge padding": (in_entry(X, f"y = f32[2] pad(x, x), padding=0_{10**20}"), 4, 31, "does not fit into 64 bits"),
    "number of bits": (
        in_entry(X, f"y = f32[2] reduce-precision(x), exponent_bits={2**40}, mantissa_bits=3"),
        4,
        47,
        "does not fit into 32 bits",
    ),
    "negative tolerance": (
        in_entry(X, "y = f32[2] tanh(x), result_accuracy={tolerance={atol=-1}}"),
        4,
        37,
        "Invalid tolerances: atol, rtol and ulps must not be negative",
    ),
    "window without sizes": (
        "HloModule m\nf {\na = f32[] parameter(0)\nb = f32[] parameter(1)\n}\nENTRY main {\n"
        + X
        + "\ny = f32[2] reduce-window(x, x), window={stride=1}, to_apply=f\n}",
        8,
        40,
        "a window has a size, and one value of each property for each dimension",
    ),
    "window of two ranks": (
        "HloModule m\nf {\na = f32[] parameter(0)\nb = f32[] parameter(1)\n}\nENTRY main {\n"
        + X
        + "\ny = f32[2] reduce-window(x, x), window={size=2 stride=1x1}, to_apply=f\n}",
        8,
        40,
        "a window has a size, and one value of each property for each dimension",
    ),
    "property of a window": (
        "HloModule m\nf {\na = f32[] parameter(0)\nb = f32[] parameter(1)\n}\nENTRY main {\n"
        + X
        + "\ny = f32[2] reduce-window(x, x), window={sise=2}, to_apply=f\n}",
        8,
        41,
        "expected a property of a window, found 'sise'",
    ),
    "scatter of pairs": (
        "HloModule m\nf {\na = f32[] parameter(0)\nb = f32[] parameter(1)\n}\nENTRY main {\n"
        + X
        + "\ny = f32[2] scatter(x, x), update_window_dims={}, inserted_window_dims={}, "
        "scatter_dims_to_operand_dims={}, index_vector_dim=0, to_apply=f\n}",
        8,
        12,
        "scatter: takes as many updates as arrays, and indices between them, got 2 operand(s)",
    ),
    "scatter at truth values": (
        "HloModule m\nf {\na = f32[] parameter(0)\nROOT b = f32[] parameter(1)\n}\nENTRY main {\n"
        + X
        + "\np = pred[1] parameter(1)\ny = f32[2] scatter(x, p, x), update_window_dims={0}, inserted_window_dims={}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=f\n}",
        9,
        12,
        "scatter: XLA takes no indices of type i1: convert them to i32",
    ),
    "unclosed metadata": (
        in_entry(X, 'y = f32[2] negate(x), metadata={op_name="a"'),
        2,
        12,
        "computation 'main' is not closed",  # its brace closes the metadata
    ),
    "metadata": (in_entry(X, "y = f32[2] negate(x), metadata={3}"), 4, 33, "expected the name of an entry"),
    "unclosed backend_config": (
        in_entry(X, "y = f32[2] negate(x), backend_config={ {"),
        4,
        38,
        "this brace is not closed",
    ),
    # Values of attributes.
    "boolean": (
        in_entry(X, "y = f32[2] sort(x), dimensions={0}, is_stable=yes, to_apply=f"),
        4,
        47,
        "expected true or false, found 'yes'",
    ),
    "padding of four numbers": (
        in_entry("x = f32[] parameter(0)", "y = f32[] pad(x, x), padding=1_2_3_4"),
        4,
        30,
        "'1_2_3_4' is not a padding",
    ),
    "tolerance in hexadecimal": (
        in_entry(X, "y = f32[2] tanh(x), result_accuracy={tolerance={atol=0x1}}"),
        4,
        54,
        "'0x1' is not a tolerance",
    ),
    "epsilon in hexadecimal": (
        in_entry(X, "y = (f32[2], f32[2], f32[2]) batch-norm-training(x, x, x), epsilon=0x1, feature_index=0"),
        4,
        68,
        "'0x1' is not a number",
    ),
    "sizes of a window twice": (
        applying_f("y = f32[2] reduce-window(x, x), window={size=2 size=2}, to_apply=f"),
        8,
        48,
        "this property of the window is given twice",
    ),
    "padding of a window twice": (
        applying_f("y = f32[2] reduce-window(x, x), window={size=2 pad=0_0 pad=0_0}, to_apply=f"),
        8,
        56,
        "this property of the window is given twice",
    ),
    "word for the sizes of a window": (
        applying_f("y = f32[2] reduce-window(x, x), window={size=a}, to_apply=f"),
        8,
        46,
        "expected the sizes of a window, found 'a'",
    ),
    "fraction for the sizes of a window": (
        applying_f("y = f32[2] reduce-window(x, x), window={size=2.5}, to_apply=f"),
        8,
        46,
        "'2.5' are not sizes",
    ),
    "three devices for a pair": (
        in_entry(X, "y = f32[2] collective-permute(x), source_target_pairs={{0,1,2}}"),
        4,
        56,
        "expected a pair of devices, got 3",
    ),
    "groups of devices that are not there": (
        applying_f("y = f32[2] all-reduce(x), replica_groups=[2,3]<=[4], to_apply=f"),
        8,
        12,
        "all-reduce: replica_groups: [2, 3] groups do not have the devices of [4]",
    ),
    "enormous mesh": (
        applying_f("y = f32[2] all-reduce(x), replica_groups=mesh['x'=1000000,'y'=1000000] {'x'}, to_apply=f"),
        8,
        12,
        "replica_groups: the mesh has too many devices",
    ),
    "kind of transform": (
        in_entry(X, "y = c64[2] fft(x), fft_type=FOO, fft_length={2}"),
        4,
        12,
        "fft: attribute 'fft_type' cannot be FOO",
    ),
    "two dimensions of a concatenation": (
        in_entry(X, "y = f32[2] concatenate(x, x), dimensions={0,1}"),
        4,
        12,
        "concatenate: takes one dimension, got 2",
    ),
    "missing comma in a list": (
        in_entry(X, "y = f32[2] reverse(x), dimensions={0 1}"),
        4,
        38,
        "expected ',' or '}', found '1'",
    ),
    "algorithm": (
        in_entry(X, "y = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, algorithm=dot_foo"),
        4,
        11,
        "dot: unknown algorithm 'dot_foo'",
    ),
    "names of dimensions": (
        in_entry(
            "x = f32[1,2,1] parameter(0)", "y = f32[1] convolution(x, x), window={size=1}, dim_labels=b0f_0io->b1f"
        ),
        4,
        12,
        "convolution: 'b1f' in dim_labels does not name b, f and the 1 dimensions of the window, each once",
    ),
    "version of a custom call": (
        in_entry(X, 'y = f32[2] custom-call(x), custom_call_target="f", api_version=V9'),
        4,
        12,
        "custom-call: unknown api_version 'V9'",
    ),
    "distribution": (
        in_entry("x = f32[] parameter(0)", "y = f32[2] rng(x, x), distribution=rng_exponential"),
        4,
        12,
        "rng: unknown distribution",
    ),
    "array for a token": (in_entry(X, "y = token[] outfeed(x, x)"), 4, 13, "takes an array or a tuple, and a token"),
    "token for an array": (
        in_entry("x = f32[] parameter(0)", "y = token[] rng(x, x), distribution=rng_uniform"),
        4,
        13,
        "rng: gives an array, not token[]",
    ),
    "constant token": (in_entry("x = token[] constant(1)"), 3, 22, "there are no constants of shape token[]"),
    "no shape of the largest of a scalar": (
        in_entry("x = f32[] parameter(0)", "y = topk(x), k=2"),
        4,
        5,
        "topk: its shape does not follow from its operands",
    ),
    "no shape, and no permutation": (
        in_entry(X, "y = transpose(x), dimensions={1}"),
        4,
        5,
        "transpose: attribute permutation must be a permutation of [0] but got 1",
    ),
    # Loops and branches.
    "condition that is none": (
        with_computations("y = f32[2] while(x), condition=same, body=same"),
        12,
        12,
        "while: condition gives f32[2], not pred[]",
    ),
    "body of another type": (
        with_computations("y = f32[2] while(x), condition=always, body=larger"),
        12,
        12,
        "while: body gives f32[3], not f32[2]",
    ),
    "loop that changes the type": (
        with_computations("y = f32[3] while(x), condition=always, body=larger"),
        12,
        12,
        "while: the operand is f32[2], not f32[3]",
    ),
    "branches without operands": (
        with_computations("y = f32[2] conditional(), true_computation=same, false_computation=same"),
        12,
        12,
        "conditional: takes what chooses the branch, and an operand for each branch",
    ),
    "half of the branches": (
        with_computations("y = f32[2] conditional(p, x, x), true_computation=same"),
        12,
        12,
        "conditional: attribute 'branch_computations' is missing",
    ),
    "operands of branches": (
        with_computations("y = f32[2] conditional(p, x), true_computation=same, false_computation=same"),
        12,
        12,
        "conditional: takes an operand for each of the 2 branches, got 1",
    ),
    "branch chosen by an array": (
        with_computations("y = f32[2] conditional(x, x, x), true_computation=same, false_computation=same"),
        12,
        12,
        "conditional: the branch is chosen by a pred[] or an s32[], not a f32[2]",
    ),
    "three branches of a predicate": (
        with_computations("y = f32[2] conditional(p, x, x, x), branch_computations={same, same, same}"),
        12,
        12,
        "conditional: a pred[] chooses between two branches, got 3",
    ),
    "branch of another type": (
        with_computations("y = f32[2] conditional(p, x, x), branch_computations={same, larger}"),
        12,
        12,
        "conditional: branch 'larger' goes from f32[2] to f32[3], not from f32[2] to f32[2]",
    ),
    # Tables in front of the computations.
    "table twice": (
        'HloModule m\nFileNames\n1 "a"\nFileNames\n1 "b"\n',
        4,
        1,
        "the table FileNames is given twice",
    ),
    "row that is skipped": ('HloModule m\nFileNames\n1 "a"\n3 "b"\n', 4, 1, "row 3 follows row 1"),
    # Asynchronous instructions.
    "operands of a start": (
        in_entry(X, "s = ((f32[2]), f32[1], u32[]) slice-start(x, x), slice={[0:1]}", "d = f32[1] slice-done(s)"),
        4,
        31,
        "slice-start: takes 1 operand(s), got 2",
    ),
    "attribute of a start": (
        in_entry(X, "s = ((f32[2]), f32[1], u32[]) slice-start(x), slice={[0:1]}, foo=3", "d = f32[1] slice-done(s)"),
        4,
        31,
        "slice-start: unknown attribute 'foo'",
    ),
    "attribute of a start twice": (
        in_entry(X, "s = ((f32[2]), f32[1], u32[]) slice-start(x), slice={[0:1]}, slice={[0:1]}"),
        4,
        62,
        "slice-start: attribute 'slice' is given twice",
    ),
    "attribute of a done": (
        with_computations(
            "s = ((f32[2]), f32[2], u32[]) async-start(x), calls=same", "d = f32[2] async-done(s), foo=2"
        ),
        13,
        12,
        "async-done: unknown attribute 'foo'",
    ),
    "done of two operands": (
        with_computations("s = ((f32[2]), f32[2], u32[]) async-start(x), calls=same", "d = f32[2] async-done(s, x)"),
        12,
        31,
        "async-start: has a consumer 'async-done' of 2 operands",
    ),
    "done of another opcode": (
        with_computations("s = ((f32[2]), f32[2], u32[]) async-start(x), calls=same", "d = f32[2] slice-done(s)"),
        12,
        31,
        "async-start: has a consumer 'slice-done', which belongs to another opcode",
    ),
    "update of another shape": (
        with_computations(
            "s = ((f32[2]), f32[2], u32[]) async-start(x), calls=same",
            "u = f32[2] async-update(s)",
            "d = f32[2] async-done(u)",
        ),
        13,
        12,
        "async-update: The async-update expects the shape of operand and output to match",
    ),
    # Depth.
    "deep tuple": (in_entry("x = " + "(" * 100_000), 3, 105, "tuples are nested more than 100 deep"),
    "deep constant": (in_entry("x = f32[2] constant(" + "{" * 100_000 + ")"), 3, 22, "expected a number, found '{'"),
    "deep configuration": (in_entry(X, "y = f32[2] negate(x), backend_config=" + "{" * 100_000), 4, 38, "not closed"),
    "deep text": ("{" * 100_000, 1, 1, "expected an HLO module, found '{'"),
}


@pytest.mark.parametrize("name", CASES)
def test_place_and_message(name: str):
    text, line, column, message = CASES[name]
    with pytest.raises(HLOError) as raised:
        parse_hlo(text, "bad.hlo")
    assert message in raised.value.message
    assert (raised.value.line, raised.value.column) == (line, column), str(raised.value)[:300]
    assert str(raised.value).startswith(f"bad.hlo:{line}:{column}: error: ")


def test_the_line_is_shown_with_a_hint():
    with pytest.raises(HLOError) as raised:
        parse_hlo(in_entry(X, "  y = f32[2] negatee(x)"), "bad.hlo")
    assert str(raised.value) == (
        "bad.hlo:4:14: error: unknown opcode 'negatee'\n"
        "    y = f32[2] negatee(x)\n"
        "               ^\n"
        "  help: did you mean negate or gather?"
    )


@pytest.mark.parametrize("data", [b"\xff\xfe", b"HloModule m\n\x80", b"HloModule \xc3"])
def test_bytes_that_are_not_utf8(data: bytes):
    with pytest.raises(HLOError, match="is not UTF-8"):
        parse_hlo(data)


def test_bytes_that_are():
    assert str(parse_hlo(GELU.encode())) == str(parse_hlo(GELU))


@given(binary(max_size=200))
def test_no_bytes_crash(data: bytes):
    with pytest.raises(HLOError):
        parse_hlo(data)


@given(text(max_size=200))
def test_no_text_crashes(text: str):
    with pytest.raises(HLOError):
        parse_hlo("HloModule m " + text)


@settings(max_examples=60)
@given(
    start=integers(0, len(GELU) - 1),
    length=integers(0, 12),
    instead=sampled_from(
        ["", "{", "}", "(", ")", ",", "=", "f32[4]", "x", "1", "-1", '"', "/*", "%", "\0", "é", "ROOT ", "[0:1]"]
    ),
)
def test_no_edit_crashes(start: int, length: int, instead: str):
    """A valid module with one edit is read, or rejected with a place in it; nothing else happens."""
    edited = GELU[:start] + instead + GELU[start + length :]
    try:
        parse_hlo(edited).verify()
    except HLOError as error:
        assert 1 <= error.line <= edited.count("\n") + 1
        assert 1 <= error.column <= len(edited.split("\n")[error.line - 1]) + 1


RICH = [path.read_text() for path in sorted((Path(__file__).parents[2] / "filecheck" / "hlo_text").glob("*.hlo"))]


@settings(max_examples=60)
@given(
    text=sampled_from(RICH),
    place=integers(0, 10_000),
    length=integers(0, 40),
    instead=sampled_from(
        ["", "{", "}", "(", ")", ",", "x", "0", "99999999999999999999", "f32[4]", "(f32[])", "{{0,1}}"]
    ),
)
def test_no_edit_of_any_opcode_crashes(text: str, place: int, length: int, instead: str):
    """A module with one edit is read and printed, or there is one diagnostic."""
    start = place % len(text)
    edited = text[:start] + instead + text[start + length :]
    try:
        print_hlo(read_hlo(edited))
    except (HLOError, HLOPrintError) as error:
        assert str(error)


DEPTH = 100_000


@pytest.mark.parametrize(
    "line",
    [
        "y = f32[2] negate(x), sharding=" + "{" * DEPTH,
        "y = f32[2] negate(x), backend_config=" + '{"a":' * DEPTH + "1" + "}" * DEPTH,
        "y = f32[2] custom-call(x), custom_call_target=" + "(" * DEPTH,
        "y = f32[2] slice(" * DEPTH,
        "y = f32[2] all-reduce(x), replica_groups=" + "{" * DEPTH + "}" * DEPTH,
        "y = (f32[2]) constant(" + "(" * DEPTH + ")",
    ],
)
def test_depth(line: str):
    """Whatever is nested deeply is read and printed, or is one diagnostic."""
    try:
        print_hlo(read_hlo(in_entry(X, line)))
    except HLOError as error:
        assert 3 <= error.line <= 5


def test_cyclic_computations():
    text = "HloModule m\nf {\n" + X + "\nROOT y = f32[2] while(x), condition=g, body=f\n}\ng {\n" + X + "\n}"
    with pytest.raises(HLOError, match="4:37: error: computation 'g' is not defined"):
        read_hlo(text)
