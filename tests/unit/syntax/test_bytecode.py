"""Bytecode of our own: what is written is read as the same module, and what is broken is a diagnostic."""

import base64
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from input_checks.inputs import FILECHECK, WITH_SYNTAX
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerType,
    ModuleOp,
    SymbolRefAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Operation
from xdsl.printer import Printer as XdslPrinter
from xdsl.utils.exceptions import DiagnosticException, ParseError

import xshardy
from xshardy.syntax import parse_module
from xshardy.syntax.bytecode import BytecodeError, builtin, numbers, read_bytecode, sdy, write_artifact, write_bytecode
from xshardy.syntax.bytecode.attribute_table import ENCODINGS
from xshardy.syntax.bytecode.resources import Resource, read_resources
from xshardy.syntax.bytecode.stream import ByteReader, ByteWriter
from xshardy.syntax.bytecode.vhlo_operations import VHLO_NAMES, VHLO_OPERATIONS
from xshardy.syntax.bytecode.writer import BytecodeWriter
from xshardy.syntax.locations import another_location, location_of
from xshardy.syntax.locations.numbered import NumberedLocation
from xshardy.syntax.printer import Printer
from xshardy.tools.input_chunks import chunks_of
from xshardy.universe import new_context

FOLDERS = sorted({path.relative_to(FILECHECK).parts[0] for path in WITH_SYNTAX})

PROPERTIES_AMONG_ATTRIBUTES = ("check_invalid.mlir", "llvm_ir.mlir", "llvm_ir_rows.mlir")
"""Tests with attributes that have the names of properties, which bytecode takes for these."""

PROGRAM = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func private @tail(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}p1]>}) -> tensor<4xf32> {
  %mask = stablehlo.constant dense<[[true, false, true], [true, true, false]]> : tensor<2x3xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %small = stablehlo.constant dense<[1, -2]> : tensor<2xi4> loc("model.py":7:2 to :9)
  %0 = stablehlo.transpose %x, dims = [1, 0] {mhlo.note = "kept"} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {}]> : tensor<8x4xf32> loc("limit"("model.py":3:4))
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = call @tail(%2) : (tensor<4xf32>) -> tensor<4xf32> loc(callsite("a" at "b"))
  return %3 : tensor<4xf32> loc(fused<"x">["a", "b"])
}
"""


def generic(module: ModuleOp) -> str:
    """The text with all locations, and without the names of values, which bytecode does not have."""
    for op in module.walk():
        for value in (*op.results, *(argument for region in op.regions for b in region.blocks for argument in b.args)):
            value.name_hint = None
    return Printer(print_generic_format=True, print_debuginfo=True).module_text(module)


def modules_in(folder: str) -> Iterator[tuple[Path, ModuleOp]]:
    """The modules of the inputs of a folder that can be read."""
    for path in sorted(path for path in WITH_SYNTAX if FILECHECK / folder in path.parents):
        for chunk in chunks_of(path.read_bytes(), split=True, stage=None):
            try:
                yield path, parse_module(chunk.data.decode(), str(path), new_context())
            except (ParseError, DiagnosticException):
                continue


@pytest.mark.hypothesis
@pytest.mark.parametrize("folder", FOLDERS)
def test_modules_of_the_filecheck_tests_are_read_as_they_were_written(folder: str):
    for path, module in modules_in(folder):
        if path.name in PROPERTIES_AMONG_ATTRIBUTES:
            continue
        try:
            data = write_bytecode(module)
        except BytecodeError as error:
            assert "not in scope" in str(error), path
            continue
        assert generic(read_bytecode(data)) == generic(module), path


def test_arrays_of_older_versions_are_those_of_today():
    iota = "%0 = stablehlo.iota dim = 0 : tensor<2x3xf32>"
    module = parse_module(iota + "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>")
    *_, transpose = module.ops
    transpose.properties["permutation"] = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [2]), [1, 0])
    *_, read = read_bytecode(write_bytecode(module)).ops
    assert read.properties["permutation"] == DenseArrayBase.from_list(i64, [1, 0])


@pytest.mark.parametrize("version", ["1.11.0", "1.17.0", "1.22.0"])
def test_an_artifact_is_read_as_it_was_written(version: str):
    module = xshardy.parse(PROGRAM)
    data = write_artifact(module, version)
    assert f"StableHLO_v{version}".encode() in data and b"stablehlo" not in data
    assert generic(read_bytecode(data)) == generic(module)


OF_STABLEHLO = """
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>, %m: tensor<2x2xf32>, %t: !stablehlo.token, %i: tensor<1x8x8x1xf32>,
    %k: tensor<3x3x1x1xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32,
    rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
    num_primitive_operations = 3, allow_imprecise_accumulation = false>
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.send"(%m, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
    is_host_transfer = true}> : (tensor<2x2xf32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>,
    is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2x2xf32>, !stablehlo.token)
  %3 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {reverse = [true, false]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x6x6x1xf32>
  %4 = "stablehlo.all_reduce"(%m) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.custom_call @f(%a) {called_computations = [@g], api_version = 4 : i32, has_side_effect = true}
    : (tensor<2xf32>) -> tensor<2xf32>
  %6 = stablehlo.custom_call @CreateBuffer() {api_version = 4 : i32} : () -> memref<2xf32>
  return %5 : tensor<2xf32>
}
"""
"""Algorithms, channels, reversed windows, computations that are called, and buffers."""


@pytest.mark.parametrize("version", ["1.13.0", "1.22.0"])
def test_an_artifact_has_all_properties_of_its_operations(version: str):
    module = xshardy.parse(OF_STABLEHLO)
    assert generic(read_bytecode(write_artifact(module, version))) == generic(module)


@pytest.mark.parametrize(
    "attribute",
    [
        *("12345678901234567890123 : i128", "-1 : i128", "-5 : i100", "1 : ui128", "0 : i65"),
        *("memref<*xf32>", "memref<*xf32, 1>", "memref<2xf32, 3>", "vector<[4]xf32>", "array<i1: true, false>"),
    ],
)
def test_attributes_are_read_as_they_were_written(attribute: str):
    module = xshardy.parse(f"module attributes {{my.a = {attribute}}} {{}}")
    assert read_bytecode(write_bytecode(module)).attributes == module.attributes


def test_a_literal_of_elements_without_bytes_is_refused():
    module = xshardy.parse("module attributes {my.a = dense<1> : tensor<i12>} {}")
    with pytest.raises(BytecodeError, match="a literal of type 'tensor<i12>' has no form in bytecode"):
        write_bytecode(module)


def test_operations_outside_of_a_module_get_one():
    module = xshardy.parse(PROGRAM)
    (function, *_) = [op for op in module.ops if op.name == "func.func"]
    data = BytecodeWriter(None).write(function, "test")
    assert [op.name for op in read_bytecode(data).ops] == ["func.func"]


@pytest.mark.parametrize("config", ["", "queue 1"])
def test_infeeds_and_outfeeds_keep_their_configuration(config: str):
    module = xshardy.parse(f"""func.func @f(%t: !stablehlo.token) -> !stablehlo.token {{
      %0:2 = "stablehlo.infeed"(%t) <{{infeed_config = "{config}"}}>
        : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
      %1 = "stablehlo.outfeed"(%0#0, %0#1) <{{outfeed_config = "{config}"}}>
        : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
      return %1 : !stablehlo.token
    }}""")
    assert generic(read_bytecode(write_artifact(module, "1.17.0"))) == generic(module)


ACCURATE = "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>"
OPERATION = "func.func @f(%x: {type}) -> {type} {{\n  %0 = {op}\n  return %0 : {type}\n}}"


@pytest.mark.parametrize(
    ("op", "type", "version", "needed"),
    [
        ("stablehlo.tanh %x", "tensor<2xf32>", "1.0.0", None),
        ("stablehlo.tan %x", "tensor<2xf32>", "1.0.0", "'stablehlo.tan' needs StableHLO 1.4.0"),
        (
            f"stablehlo.tanh %x {{result_accuracy = {ACCURATE}}}",
            "tensor<2xf32>",
            "1.9.0",
            "'stablehlo.tanh' with 'result_accuracy' needs StableHLO 1.10.0",
        ),
        ("stablehlo.add %x, %x", "tensor<2xf8E4M3>", "1.0.0", "'f8E4M3' needs StableHLO 1.7.0"),
        ("stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]", "tensor<2x2xf32>", "1.0.0", None),
        ("chlo.square %x", "tensor<2xf32>", "1.0.0", "'chlo.square', which is not StableHLO's, needs StableHLO 1.11.0"),
    ],
)
def test_an_older_version_gets_the_older_operation_or_a_diagnostic(
    op: str, type: str, version: str, needed: str | None
):
    types = f"({type}, {type}) -> {type}" if "dot" in op else f"{type} -> {type}" if "chlo" in op else type
    module = xshardy.parse(OPERATION.format(op=f"{op} : {types}", type=type))
    if needed is None:
        assert generic(read_bytecode(write_artifact(module, version))) == generic(module)
    else:
        with pytest.raises(BytecodeError, match=needed):
            write_artifact(module, version)


def test_an_unknown_version_is_refused():
    for version in ("0.9.0", "1.99.0", "1.5", "one"):
        with pytest.raises(ValueError, match=r"for versions from 1\.0\.0 to 1\.22\.0"):
            write_artifact(ModuleOp([]), version)


def test_vhlo_operations_are_those_of_stablehlo():
    """
    Each row has the properties of the operation; operations without a row are newer than VHLO, or not in it.

    Only one lost an attribute: the padding of a dynamic convolution is an operand.
    """
    context = new_context()
    for row in VHLO_OPERATIONS.values():
        op_type = context.get_optional_op(row.operation)
        assert op_type is not None, row.operation
        newest = set(row.attributes(len(row.versions)))
        oldest = set(row.attributes(1))
        assert oldest - newest == ({"padding"} if row.operation == "stablehlo.dynamic_conv" else set())
        assert oldest & newest | set(row.missing(1)) == newest
    operations = {op.name for op in new_context().get_dialect("stablehlo").operations}
    assert operations <= VHLO_NAMES.keys()


@pytest.mark.parametrize("dialect", ENCODINGS)
def test_a_code_is_one_kind(dialect: str):
    """Two rows may have one code only if the second writes what the first reads as something else: strings."""
    for table in (ENCODINGS[dialect].attributes, ENCODINGS[dialect].types):
        strings = {"builtin": [BytesAttr], "vhlo": [BytesAttr, SymbolRefAttr]}.get(dialect, [])
        repeated = strings if table is ENCODINGS[dialect].attributes else []
        assert len(table.rows) - len(table.by_code) == len(repeated)


@given(st.integers(0, (1 << 64) - 1), st.integers(-(1 << 63), (1 << 63) - 1))
def test_numbers_are_read_as_they_were_written(unsigned: int, signed: int):
    writer = ByteWriter()
    writer.varint(unsigned)
    writer.svarint(signed)
    reader = ByteReader(bytes(writer.data), 0, len(writer.data))
    assert (reader.varint(), reader.svarint(), reader.remaining) == (unsigned, signed, 0)


@given(st.lists(st.integers(0, (1 << 64) - 1) | st.integers(0, 200)), st.integers(0, 40))
def test_numbers_that_are_read_together_are_those_that_are_read_in_turn(numbers: list[int], cut: int):
    writer = ByteWriter()
    for number in numbers:
        writer.varint(number)
    data, size = bytes(writer.data), max(0, len(writer.data) - cut)
    assert ByteReader(data, 0, len(data)).varints(len(numbers)) == numbers
    if size < len(data):
        with pytest.raises(BytecodeError, match=r"the bytecode ends here|bytes are said to follow"):
            ByteReader(data, 0, size).varints(len(numbers))


# Templates and locations


KINDS = (
    "{v} = arith.addi {a}, {b} : i32",
    "{v} = arith.addi {a}, {b} {{t.mark = 1}} : i32",
    "{v} = arith.addi {a}, {b} {{t.mark = 2}} : i32",
    "{v} = arith.select %flag, {a}, {b} : i32",
    "{v} = arith.select %flag, {a}, %x : i32",
    "{v} = arith.constant 7 : i32",
    "{v}:2 = func.call @pair({a}) : (i32) -> (i32, i1)",
)
LOCATIONS = ("", ' loc("a":1:2)', ' loc("b"("c":3:4))', " loc(unknown)")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Up to 20 operations, each once or 80 times, with operands anywhere among the values so far."""
    lines: list[str] = []
    values = ["%x"]
    for index in range(draw(st.integers(0, 20))):
        kind, a, b = draw(st.tuples(st.sampled_from(KINDS), st.sampled_from(values), st.sampled_from(values)))
        copies = [f"%v{index}_{copy}" for copy in range(draw(st.sampled_from((1, 1, 1, 1, 80))))]
        location = draw(st.sampled_from(LOCATIONS))
        lines += [kind.format(v=copy, a=a, b=b) + location for copy in copies]
        values.append(copies[-1] + ("#0" if ":2" in kind else ""))
    body = "\n".join(lines)
    return f"func.func private @pair(i32) -> (i32, i1)\nfunc.func @f(%x: i32, %flag: i1) {{\n{body}\nreturn\n}}"


@given(programs(), st.booleans())
def test_operations_that_are_copied_from_templates_are_those_of_the_text(program: str, has_many_names: bool):
    """With numbers of values, names and attributes of one byte and of two."""
    module = parse_module(program, ctx=CONTEXT)
    writer = BytecodeWriter(None)
    if has_many_names:
        writer._names |= {f"test.op{number}": number for number in range(127)}  # pyright: ignore[reportPrivateUsage]
    assert generic(read_bytecode(writer.write(module, "test"), CONTEXT)) == generic(module)


def returned(module: ModuleOp) -> Operation:
    return next(op for op in module.walk() if op.name == "func.return")


def test_a_location_is_not_read_before_it_is_asked_for():
    module = read_bytecode(write_bytecode(parse_module(PROGRAM)))
    location: Any = returned(module).location
    assert type(location) is NumberedLocation and location._value is None  # pyright: ignore[reportPrivateUsage]
    assert str(location_of(returned(module))) == 'loc(fused<"x">["a", "b"])'
    assert returned(module).location is location and location_of(returned(module)) is location.value
    another = another_location(returned(module).location)
    assert another != location and another.value == location.value


def test_xdsl_prints_a_location_that_was_not_read_before():
    module = read_bytecode(write_bytecode(parse_module('func.func @f() { return loc("model.py":7:2) }')))
    printed = StringIO()
    XdslPrinter(printed).print_attribute(returned(module).location)
    assert printed.getvalue() == 'loc("model.py":7:2)'


def test_an_unknown_location_is_that_of_operations_without_one():
    module = read_bytecode(write_bytecode(parse_module("func.func @f() { return loc(unknown) }")))
    assert all(op.location is UNKNOWN_LOC for op in module.walk())


def test_what_is_wrong_with_a_location_is_a_diagnostic_when_it_is_asked_for():
    written = write_bytecode(parse_module('func.func @f() { return loc("here":77:5) }'))
    place = bytes((11 << 1 | 1,))
    start = next(m.start() for m in re.finditer(place, written) if written[m.start() + 2] == 77 * 2 + 1 & 0xFF)
    module = read_bytecode(written[: start + 1] + b"\xff" + written[start + 2 :])
    with pytest.raises(BytecodeError, match="there is no attribute 127"):
        location_of(returned(module))


# What is broken

WEIGHTS = """
func.func @f() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
WRITTEN = (
    *(write(xshardy.parse(PROGRAM)) for write in (write_bytecode, write_artifact)),
    write_bytecode(xshardy.parse(WEIGHTS)),
)
CONTEXT = new_context()


def broken(seed: int) -> bytes:
    """Bytecode that is cut off, or in which some bytes are others, are moved, or are repeated."""
    chance = random.Random(seed)
    data = bytearray(chance.choice(WRITTEN))
    start, source, size = chance.randrange(len(data)), chance.randrange(len(data)), chance.randrange(1, 20)
    match chance.randrange(4):
        case 0:
            del data[start:]
        case 1:
            for _ in range(chance.choice((1, 1, 2, 8))):
                data[chance.randrange(4, len(data))] = chance.choice((0, 1, 127, 255, chance.randrange(256)))
        case 2:
            data[start : start + size] = chance.randbytes(chance.randrange(20))
        case _:
            data[start : start + size] = data[source : source + size]
    return bytes(data)


def read_all(data: bytes) -> None:
    """Read `data`, and all locations in it."""
    module = read_bytecode(data, CONTEXT)
    xshardy.verify(module)
    generic(module)


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_broken_bytecode_is_a_module_or_a_diagnostic(seed: int):
    """`python tests/unit/syntax/test_bytecode.py 10000` tries more."""
    with suppress(DiagnosticException):
        read_all(broken(seed))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "byte 0: this is no MLIR bytecode"),
        (b"module {}", "byte 0: this is no MLIR bytecode"),
        (b"ML\xefR\x0f", "the bytecode has format 7: known are formats up to 6"),
        (b"ML\xefR\x0d\x00", "the bytecode has no section of strings"),
        (WRITTEN[0][:100], "bytes are said to follow, but only"),
    ],
)
def test_the_diagnostic_says_what_is_wrong(data: bytes, complaint: str):
    with pytest.raises(BytecodeError, match=complaint):
        read_bytecode(data)


@pytest.mark.parametrize(
    ("read", "complaint"),
    [
        (lambda: ByteReader(b"abc", 0, 3).text(), "byte 0: a text has no end"),
        (lambda: ByteReader(b"\0\xff\0", 1, 3).text(), "byte 1: a text is not in UTF-8"),
        (lambda: ByteReader(b"\0\0\0\0", 1, 4).align(4), "byte 2: expected padding"),
        (lambda: ByteReader(b"\x03", 0, 1).varints(2), "byte 1: the bytecode ends here"),
        (lambda: builtin._dense_array(i32, 2, bytes(7)), "an array of 2 elements of type 'i32' has 7 bytes"),  # pyright: ignore[reportPrivateUsage]
        (lambda: builtin._integer_type(4 * 32 + 3), "there is no integer type of 32 bits with signedness 3"),  # pyright: ignore[reportPrivateUsage]
        (lambda: sdy._reduction(99), "there is no reduction with number 99"),  # pyright: ignore[reportPrivateUsage]
        (lambda: numbers.dense_of(TensorType(i32, [2]), bytes(5)), "'tensor<2xi32>' has 5 bytes instead of 8"),
        (lambda: numbers.dense_of(TensorType(IntegerType(12), [2]), bytes(5)), "'tensor<2xi12>' is not supported"),
        (lambda: ByteWriter().text("a\0b"), "has a character NUL, at which a text in bytecode ends"),
    ],
)
def test_a_part_that_is_wrong_is_a_diagnostic(read: Callable[[], object], complaint: str):
    with pytest.raises(BytecodeError, match=complaint):
        read()


# Resources

NAMES = ("a", "w", "note")
TWO_FLOATS = bytes([0x09, 0x11, 0xCB, 0xCB]) + b"\0\0\x80\x3f\0\0\0\x40"
"""Alignment to 4 bytes, 8 bytes, padding."""


def resources(names: bytes, contents: bytes) -> list[Resource]:
    return list(
        read_resources(ByteReader(names, 0, len(names)), ByteReader(contents, 0, len(contents)), NAMES.__getitem__)
    )


def test_resources_are_those_of_dialects():
    """A group of another program, with a string; a group of dialect 0 with bytes, and with a name alone."""
    external, own = [0x05, 0x03, 0x01, 0x09, 2], [0x01, 0x05, 0x03, 0x19, 0, 0x05, 0x01, 0]
    found = resources(bytes([0x03, *external, *own]), b"text" + TWO_FLOATS)
    assert found == [Resource("w", TWO_FLOATS[4:]), Resource("note")]


@pytest.mark.parametrize(
    ("names", "contents", "complaint"),
    [
        ([0x01, 0x01, 0x03, 0x03, 0x19, 1], TWO_FLOATS, "resource 'w' is no bytes"),
        ([0x01, 0x01, 0x03, 0x03, 0x1B, 0], TWO_FLOATS, "13 bytes are said to follow, but only 12 do"),
        ([0x01, 0x01, 0x03, 0x03, 0x17, 0], TWO_FLOATS, "8 bytes are said to follow, but only 7 do"),
        ([0x01, 0x01, 0x03, 0x03, 0x19, 0], b"\x07" + TWO_FLOATS[1:], "an alignment of 3 is no power of two"),
    ],
)
def test_broken_resources_are_diagnostics(names: list[int], contents: bytes, complaint: str):
    with pytest.raises(BytecodeError, match=complaint):
        resources(bytes(names), contents)


def test_an_artifact_has_no_resources():
    with pytest.raises(BytecodeError, match=r"dense_resource<weights>.* has no form in a portable artifact"):
        write_artifact(xshardy.parse(WEIGHTS))


def test_an_attribute_that_is_inside_itself_is_refused():
    written = write_bytecode(xshardy.parse("module attributes {t.x = [7 : i32, 7 : i32, 7 : i32, 7 : i32]} {}"))
    array = re.search(rb"\x01\x09((.)\2{3})", written)  # the code of an array, four, and four times the same number
    assert array is not None
    data, element = bytearray(written), array.start(1)
    complaints: list[str] = []
    for number in range(5):
        data[element] = number << 1 | 1
        try:
            read_bytecode(bytes(data))
        except BytecodeError as error:
            complaints.append(str(error))
    assert any("is inside itself" in complaint for complaint in complaints), complaints


def test_an_attribute_with_too_many_parts_is_refused():
    """Each array has the next one twice: 2^40 parts in 40 attributes."""
    arrays = "".join(f"#a{depth + 1} = [#a{depth}, #a{depth}]\n" for depth in range(12))
    module = xshardy.parse(f"#a0 = []\n{arrays}module attributes {{t.x = #a12}} {{}}")
    data = write_bytecode(module)
    assert generic(read_bytecode(data)) == generic(module)
    limit = mock.patch("xshardy.syntax.bytecode.attribute_table.MOST_PARTS", 1000)
    with limit, pytest.raises(BytecodeError, match="has more than 1000 others in it"):
        read_bytecode(data)


KERNEL = """module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @kernel(%x) {mhlo.backend_config = {ir = "ML\\EFR\\00\\E2\\82"}}
      : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


@pytest.mark.parametrize("write", [write_bytecode, write_artifact])
def test_strings_need_not_be_texts(write: Callable[[ModuleOp], bytes]):
    """Kernels of Triton and Mosaic are bytes in the configuration of a call."""
    module = xshardy.parse(KERNEL)
    data = write(module)
    assert b"ML\xefR\0\xe2\x82\0" in data
    assert read_bytecode(data).is_structurally_equivalent(module)
    assert 'ir = "ML\\EFR\\00\\E2\\82"' in generic(read_bytecode(data))


def test_names_are_texts():
    with pytest.raises(BytecodeError, match="a name, is not in UTF-8"):
        read_bytecode(write_bytecode(xshardy.parse(KERNEL)).replace(b"stablehlo\0", b"stablehl\xff\0"))


def test_an_array_of_integers_without_bits_is_a_diagnostic():
    """Such an array has no printed form."""
    with pytest.raises(BytecodeError, match="an array of 'i0' is not supported"):
        builtin._dense_array(IntegerType(0), 1, bytes(8))  # pyright: ignore[reportPrivateUsage]


if __name__ == "__main__":
    import sys

    for number in range(int(sys.argv[1])):
        with suppress(DiagnosticException):
            read_all(broken(number))


AFFINE_MAPS = (
    *("()->()", "(d0)->(d0)", "(d0,d1)->(d1,d0)", "(d0,d1,d2)->(d2,d0)", "(d0)->()"),
    *("(d0)[s0]->(d0*3+s0-7)", "(d0)->(d0 floordiv 3, d0 ceildiv 4, d0 mod 300)"),
)
NEWER_LAYOUTS = """
TUzvUg1NTElSMjQuMC4wZ2l0AAENAwEDAQMHAyUdAQEdEwsvCwsTFw8/UxdTEwsCxwMDAwUFBQETBwkLDQ8RExUXLwEvCS8TAwEvHQUFAS8NAS8PAwMH
BwkBAQUNAwEFGy8PAQcNAQEFDQ8BAQURCwEBBWIJMwEFBQkzAP//////////AwD//////////xcbAwMFBwQZBQFRGQEBBwQHAwEBBgMBBQEANwkFCw8R
YnVpbHRpbgBtb2R1bGUAbXkuYQAtAAgJAwUBAQ==
"""
"""A module that jaxlib 0.12 wrote, with these maps and two strided layouts as an attribute."""


def test_affine_maps_and_strides_of_newer_bytecode_are_read():
    maps = (f"affine_map<{layout}>" for layout in AFFINE_MAPS)
    text = f"module attributes {{my.a = [{', '.join(maps)}, strided<[1, 2]>, strided<[?], offset: ?>]}} {{}}"
    assert read_bytecode(base64.b64decode(NEWER_LAYOUTS)).attributes == xshardy.parse(text).attributes
