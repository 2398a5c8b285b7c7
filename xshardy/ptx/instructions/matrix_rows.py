"""
Loads and stores of the fragments of small matrices, whose rows are anywhere. Source: PTX ISA, `ldmatrix`, `stmatrix`.
"""

import numpy as np

from xshardy.interpreters.simt.launch import WARP_SIZE
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.fragments import ALL_LANES
from xshardy.ptx.instructions.memory import addresses, elements_of, load_words, store_words, take_space
from xshardy.ptx.instructions.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.types import TYPES


def take_matrices(form: Form) -> tuple[int, bool, str]:
    """`.sync.aligned.m8n8.x1,.x2,.x4{.trans}.shared.b16`: how many matrices, whether transposed, and the space."""
    form.required("sync")
    form.required("aligned")
    form.required("m8n8")
    count = int(form.required("x1", "x2", "x4")[1:])
    transposed = form.has("trans")
    space = take_space(form)
    form.required("b16")
    return count, transposed, space


def load_matrices(form: Form, context: Context) -> Step:
    """`ldmatrix.sync.aligned.m8n8.x1,.x2,.x4{.trans}.shared.b16 r, [p]`: the address of row i is that of lane i."""
    count, transposed, space = take_matrices(form)
    instruction, memory = form.instruction, context.memory
    check = members(context, instruction, ALL_LANES)
    where = addresses(context, instruction, instruction.operands[1])
    registers = elements_of(instruction.operands[0])
    writers = [context.registers.writer(instruction, register, TYPES["b32"]) for register in registers]
    lane = np.arange(WARP_SIZE)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        everyone = lanes.mask
        gives_address = np.arange(lanes.shape[1])[None, :] % WARP_SIZE < 8 * count
        lanes.mask = lanes.active_mask() & gives_address
        words = load_words(lanes, memory, instruction, space, where(lanes), 4, 4)
        lanes.mask = everyone
        rows = np.stack([lanes.warps(word) for word in words], axis=-1)[..., : 8 * count, :]
        matrices = np.ascontiguousarray(rows).reshape(*rows.shape[:2], count, 8, 4).view(np.uint16)
        if transposed:
            matrices = np.ascontiguousarray(np.swapaxes(matrices, -1, -2))
        pairs = matrices.view(np.uint32)[..., lane // 4, lane % 4]
        for number, writer in enumerate(writers):
            writer(lanes, lanes.of_warps(np.ascontiguousarray(pairs[..., number, :])))

    return execute


def store_matrices(form: Form, context: Context) -> Step:
    """`stmatrix.sync.aligned.m8n8.x1,.x2,.x4{.trans}.shared.b16 [p], r`: the address of row i is that of lane i."""
    count, transposed, space = take_matrices(form)
    instruction, memory = form.instruction, context.memory
    check = members(context, instruction, ALL_LANES)
    where = addresses(context, instruction, instruction.operands[0])
    readers = [
        context.registers.reader(instruction, register, TYPES["b32"])
        for register in elements_of(instruction.operands[1])
    ]
    if len(readers) != count:
        raise form.error(f"{len(readers)} registers where the instruction has x{count}")

    def execute(lanes: Lanes) -> None:
        check(lanes)
        held = np.stack([lanes.warps(read(lanes)) for read in readers], axis=-2)  # [blocks, warps, matrices, lanes]
        matrices = np.ascontiguousarray(held).view(np.uint16).reshape(*held.shape[:3], 8, 8)
        if transposed:
            matrices = np.swapaxes(matrices, -1, -2)
        rows = np.ascontiguousarray(matrices).view(np.uint32).reshape(*held.shape[:2], 8 * count, 4)
        rows = np.pad(rows, ((0, 0), (0, 0), (0, WARP_SIZE - 8 * count), (0, 0)))
        everyone = lanes.mask
        gives_address = np.arange(lanes.shape[1])[None, :] % WARP_SIZE < 8 * count
        lanes.mask = lanes.active_mask() & gives_address
        words = [lanes.of_warps(np.ascontiguousarray(rows[..., number])) for number in range(4)]
        store_words(lanes, memory, instruction, space, where(lanes), words)
        lanes.mask = everyone

    return execute
