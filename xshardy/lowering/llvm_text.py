"""
The llvm dialect as LLVM IR text, which llvmlite reads.

Constants and addresses of globals are written at their uses; block arguments become phi instructions. Every operation
is visited once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.llvm import PoisonOp
from xshardy.lowering.debug_lines import DebugLines
from xshardy.lowering.kernel_marks import marks_of, required_block_size
from xshardy.lowering.llvm_instructions import writer_of
from xshardy.lowering.llvm_values import LLVMTextError, constant_text, global_name, joined, quoted, type_text

UNIT_PARAMETER_ATTRIBUTES: Mapping[str, str] = {
    "llvm.inreg": "inreg",
    "llvm.noalias": "noalias",
    "llvm.nocapture": "captures(none)",
    "llvm.nofree": "nofree",
    "llvm.nonnull": "nonnull",
    "llvm.noundef": "noundef",
    "llvm.readnone": "readnone",
    "llvm.readonly": "readonly",
    "llvm.signext": "signext",
    "llvm.writeonly": "writeonly",
    "llvm.zeroext": "zeroext",
}
"""Attributes of arguments without a value."""

ALIGNMENT = "llvm.align"
SIZE = "llvm.dereferenceable"

SIZED_PARAMETER_ATTRIBUTES: Mapping[str, str] = {
    SIZE: "dereferenceable({})",
    "llvm.dereferenceable_or_null": "dereferenceable_or_null({})",
}
"""Attributes of arguments with a number of bytes."""

UNIT_FUNCTION_ATTRIBUTES: Mapping[str, str] = {
    "no_inline": "noinline",
    "no_unwind": "nounwind",
    "optimize_none": "optnone",
}


def _constant(value: SSAValue) -> str:
    assert isinstance(value.owner, llvm.ConstantOp)
    return constant_text(value.owner.value, value.type)


def _address(value: SSAValue) -> str:
    assert isinstance(value.owner, llvm.AddressOfOp)
    return global_name(value.owner.global_name.root_reference.data)


def _poison(value: SSAValue) -> str:
    return "poison"


def _undefined(value: SSAValue) -> str:
    return "undef"


def _zero(value: SSAValue) -> str:
    return "null" if isinstance(value.type, llvm.LLVMPointerType) else "zeroinitializer"


INLINED: Mapping[type[object], Callable[[SSAValue], str]] = {
    PoisonOp: _poison,
    llvm.AddressOfOp: _address,
    llvm.ConstantOp: _constant,
    llvm.UndefOp: _undefined,
    llvm.ZeroOp: _zero,
}
"""Operations without an instruction: their result is written at its uses."""


@dataclass(slots=True)
class ModuleText:
    """Collects the parts of a module while its functions are written."""

    declarations: dict[str, str]
    """The intrinsics in use."""
    lines: DebugLines | None = None
    """The line of each instruction for debuggers; None for IR without them."""
    uses_empty_metadata: bool = False

    def write(self, module: ModuleOp) -> str:
        """The text of `module`. Raises `LLVMTextError` if it holds anything but the llvm and nvvm dialects."""
        defined = [self._top_level(op) for op in module.ops]
        header = [
            f"target {name} = {quoted(value.data)}"
            for name, key in (("datalayout", "llvm.data_layout"), ("triple", "llvm.target_triple"))
            if isinstance(value := module.attributes.get(key), StringAttr)
        ]
        footer = ["!0 = !{}"] if self.uses_empty_metadata else []
        footer += self.lines.metadata() if self.lines is not None else ()
        declared = ["\n".join(self.declarations.values())] if self.declarations else []
        return "\n\n".join((*header, *defined, *declared, *footer)) + "\n"

    def _top_level(self, op: Operation) -> str:
        match op:
            case llvm.FuncOp():
                return FunctionText(self).write(op)
            case llvm.GlobalOp():
                return global_text(op)
            case _:
                raise LLVMTextError(f"'{op.name}' is no function of LLVM: lower it with xla-gpu-lower-to-llvm first")


def global_text(op: llvm.GlobalOp) -> str:
    """`@name = private addrspace(3) global [4 x float] undef, align 16`."""
    linkage, space = op.linkage.linkage.data, op.addr_space.value.data
    value = "undef" if op.value is None else constant_text(op.value, op.global_type)
    text = joined(
        (
            f"{global_name(op.sym_name.data)} =",
            "" if linkage == "external" and op.value is not None else linkage,
            "unnamed_addr" if op.unnamed_addr is not None and op.unnamed_addr.value.data == 2 else "",
            f"addrspace({space})" if space else "",
            "constant" if op.constant is not None else "global",
            type_text(op.global_type),
            "" if linkage == "external" and op.value is None else value,
        )
    )
    section = "" if op.section is None else f", section {quoted(op.section.data)}"
    return text + section + ("" if op.alignment is None else f", align {op.alignment.value.data}")


class FunctionText:
    """Writes one function: the names of its values and blocks, and its lines. Implements `Operands`."""

    def __init__(self, module: ModuleText):
        self._module = module
        self._values: dict[SSAValue, str] = {}
        self._count = 0
        self._blocks: dict[Block, str] = {}
        self._incoming: dict[Block, list[tuple[tuple[SSAValue, ...], str]]] = {}
        """The incoming edges of each block: the values of its arguments, and the name of the predecessor."""
        self._lines: list[str] = []

    # --- Operands

    def use(self, value: SSAValue) -> str:
        """A value without its type."""
        if (text := self._values.get(value)) is None:
            if (write := INLINED.get(type(value.owner))) is not None:
                text = write(value)
            else:
                text = f"%v{self._count}"
                self._count += 1
            self._values[value] = text
        return text

    def typed(self, value: SSAValue) -> str:
        """A value with its type in front."""
        return f"{type_text(value.type)} {self.use(value)}"

    def label(self, block: Block) -> str:
        """A block as the target of a branch."""
        return f"label %{self._block(block)}"

    def edge(self, source: Operation, index: int) -> str:
        """The target of a conditional branch for its successor `index`."""
        if index > 0 and self._is_double(source):
            return f"label %{self._bridge(source)}"
        return self.label(source.successors[index])

    def declare(self, name: str, result: str, arguments: str) -> None:
        """Make sure that the module declares the intrinsic `name`."""
        if name not in self._module.declarations:
            self._module.declarations[name] = f"declare {result} {global_name(name)}({arguments})"

    def marked(self, kind: str) -> str:
        """Metadata without contents, as that of an invariant load."""
        self._module.uses_empty_metadata = True
        return f"!{kind} !0"

    # --- names

    def _block(self, block: Block) -> str:
        if (name := self._blocks.get(block)) is None:
            name = self._blocks[block] = f"bb{len(self._blocks)}"
        return name

    @staticmethod
    def _is_double(branch: Operation) -> bool:
        """Whether both successors of a branch are one block with arguments: a phi cannot tell these edges apart."""
        successors = branch.successors
        return len(successors) == 2 and successors[0] is successors[1] and bool(successors[0].args)

    def _bridge(self, branch: Operation) -> str:
        """The name of the block between `branch` and its second successor."""
        assert branch.parent is not None
        return f"{self._block(branch.parent)}.else"

    # --- lines

    def write(self, op: llvm.FuncOp) -> str:
        """The text of a function, defined or declared."""
        if not op.body.blocks:
            return f"declare {self._signature(op)}"
        blocks = reachable_blocks(op.body)
        for block in blocks:
            if block.last_op is not None:
                self._note_edges(block.last_op)
        signature = self._signature(op)
        for i, block in enumerate(blocks):
            self._write_block(block, is_entry=i == 0)
        return "\n".join((f"define {signature} {{", *self._lines, "}"))

    def _note_edges(self, branch: Operation) -> None:
        assert branch.parent is not None
        name = self._block(branch.parent)
        match branch:
            case llvm.BrOp():
                self._note(branch.successors[0], tuple(branch.arguments), name)
            case llvm.CondBrOp():
                second = self._bridge(branch) if self._is_double(branch) else name
                self._note(branch.then_block, tuple(branch.then_arguments), name)
                self._note(branch.else_block, tuple(branch.else_arguments), second)
            case _:
                pass

    def _note(self, target: Block, values: tuple[SSAValue, ...], source: str) -> None:
        self._incoming.setdefault(target, []).append((values, source))

    def _write_block(self, block: Block, *, is_entry: bool) -> None:
        lines = self._lines
        lines.append(f"{self._block(block)}:")
        if not is_entry:
            self._write_phis(block)
        for op in block.ops:
            if type(op) in INLINED:
                continue
            text = writer_of(op)(op, self)
            if self._module.lines is not None:
                text += self._module.lines.of(op)
            lines.append(f"  {self.use(op.results[0])} = {text}" if op.results else f"  {text}")
        last = block.last_op
        if last is not None and self._is_double(last):
            lines += [f"{self._bridge(last)}:", f"  br {self.label(last.successors[1])}"]

    def _write_phis(self, block: Block) -> None:
        incoming = self._incoming.get(block, [])
        for i, argument in enumerate(block.args):
            edges = ", ".join(f"[ {self.use(values[i])}, %{source} ]" for values, source in incoming)
            self._lines.append(f"  {self.use(argument)} = phi {type_text(argument.type)} {edges}")

    def _signature(self, op: llvm.FuncOp) -> str:
        function_type = op.function_type
        attributes = [None] * len(function_type.inputs) if op.arg_attrs is None else list(op.arg_attrs)
        entry = op.body.first_block
        arguments = [
            joined((type_text(type), parameter_attributes(each), "" if entry is None else self._argument(entry, i)))
            for i, (type, each) in enumerate(zip(function_type.inputs, attributes, strict=True))
        ]
        if function_type.is_variadic:
            arguments.append("...")
        linkage, marks = op.linkage.linkage.data, marks_of(op)
        return joined(
            (
                "" if linkage == "external" else linkage,
                "" if marks is None else marks.convention,
                type_text(function_type.output),
                f"{global_name(op.sym_name.data)}({', '.join(arguments)})",
                function_attributes(op),
                "" if self._module.lines is None or entry is None else self._module.lines.function(),
            )
        )

    def _argument(self, entry: Block, index: int) -> str:
        name = self._values[entry.args[index]] = f"%arg{index}"
        return name


def reachable_blocks(body: Region) -> list[Block]:
    """The blocks that are reachable from the entry, in their order. A phi must not name others."""
    entry = body.first_block
    pending = [] if entry is None else [entry]
    reached = set(pending)
    while pending:
        last = pending.pop().last_op
        following = {block for block in (last.successors if last is not None else ()) if block not in reached}
        reached |= following
        pending += following
    return [block for block in body.blocks if block in reached]


def parameter_attributes(attributes: DictionaryAttr | None) -> str:
    """The attributes of an argument that LLVM knows."""
    if attributes is None:
        return ""
    words = [UNIT_PARAMETER_ATTRIBUTES[name] for name in attributes.data if name in UNIT_PARAMETER_ATTRIBUTES]
    if (alignment := _alignment(attributes)) is not None:
        words.append(f"align {alignment}")
    for name, text in SIZED_PARAMETER_ATTRIBUTES.items():
        if isinstance(size := attributes.data.get(name), IntegerAttr):
            words.append(text.format(size.value.data))
    return " ".join(words)


def _alignment(attributes: DictionaryAttr) -> int | None:
    """
    The alignment of an argument that LLVM is told, in bytes: one that divides the bytes of the buffer, too.

    LLVM loads an aligned word as a whole if parts of it are needed, three bytes of a buffer as one of four. No word of
    this alignment is partly behind the buffer. Accesses whose own alignment is known say so themselves.
    """
    match attributes.data.get(ALIGNMENT), attributes.data.get(SIZE):
        case IntegerAttr(value=alignment), IntegerAttr(value=size):
            return gcd(alignment.data, size.data)
        case IntegerAttr(value=alignment), _:
            return alignment.data
        case _:
            return None


def function_attributes(op: llvm.FuncOp) -> str:
    """The attributes of a function: those of LLVM, and the block size of a kernel, `"nvvm.reqntid"="128,1,1"`."""
    stated = {**op.attributes, **op.properties}
    words = [word for name, word in UNIT_FUNCTION_ATTRIBUTES.items() if name in stated]
    if isa(passthrough := stated.get("passthrough"), ArrayAttr[Attribute]):
        words += map(_passthrough, passthrough)
    if (marks := marks_of(op)) is not None and (block_size := required_block_size(op)) is not None:
        words.append(marks.launch_bounds(block_size))
    return " ".join(words)


def _passthrough(attribute: Attribute) -> str:
    """`"nofree"` -> `nofree`, `["key", "value"]` -> `"key"="value"`."""
    if isa(attribute, ArrayAttr[StringAttr]) and len(attribute) == 2:
        key, value = attribute
        return f"{quoted(key.data)}={quoted(value.data)}"
    if isinstance(attribute, StringAttr):
        return attribute.data
    raise LLVMTextError(f"passthrough attribute {attribute}: expected a name, or a pair of a name and a value")


def module_text(module: ModuleOp, lines: DebugLines | None = None) -> str:
    """
    `module`, which holds the llvm and nvvm dialects only, as LLVM IR text. Linear in its size.

    With `lines`, instructions have places for debuggers. Raises `LLVMTextError` if anything else is left in it.
    """
    return ModuleText({}, lines).write(module)
