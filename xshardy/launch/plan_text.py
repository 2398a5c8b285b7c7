"""A compiled module in a folder: its PTX, and `plan.json`, whose keys are described in docs/launching.md."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation

from xshardy.hlo_text.names import NAME
from xshardy.launch.buffer_assignment import Allocation
from xshardy.launch.compilation import CompiledModule
from xshardy.launch.launch_plan import (
    Argument,
    AsyncDoneStep,
    AsyncStartStep,
    Call,
    CollectiveStep,
    ConditionalStep,
    KernelStep,
    LaunchPlan,
    LaunchStep,
    LibraryStep,
    MemsetStep,
    WhileStep,
)
from xshardy.launch.plan_files import PLAN_FILE, PTX_FILE
from xshardy.lowering.code_generators import Kernel
from xshardy.lowering.kernel_files import kernel_files
from xshardy.syntax.files import write_file

Entries = dict[str, object]

IGNORED = frozenset({NAME, "call_target_name"})
"""Attributes that are no configuration."""

VERSION = 1
"""The version of the format: it changes when a reader must."""


def write_plan(folder: Path, module: CompiledModule, partitioning: Entries | None = None) -> None:
    """Write the files of `module` into `folder`, which is made if there is none; see `plan_text`. Raises `OSError`."""
    folder.mkdir(exist_ok=True)
    files = kernel_files([*module.kernels.values()], module.target, PTX_FILE)
    for name, content in files.contents.items():
        write_file(folder / name, content)
    write_file(folder / PLAN_FILE, plan_text(module, files.plan_entries, partitioning))


def plan_text(module: CompiledModule, code: Mapping[str, object], partitioning: Entries | None = None) -> str:
    """`module` as JSON; `code` names the files with its kernels, `partitioning` says how its devices divide tensors."""
    plan = module.plan
    entries = {
        "version": VERSION,
        "module": plan.name,
        "target": module.target,
        **code,
        **({} if partitioning is None else {"partitioning": partitioning}),
        "kernels": {kernel.entry: _kernel(kernel) for kernel in module.kernels.values()},
        "failures": dict(module.failures),
        "allocations": [_allocation(allocation) for allocation in plan.assignment.allocations],
        "buffers": _buffers(plan),
        "steps": [_step(step, module) for step in plan.steps],
        "results": [_argument(argument) for argument in plan.results],
    }
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {_lines(value)}" for key, value in entries.items()) + "\n}\n"


def _lines(value: object) -> str:
    """JSON with a line for each element of a list or dictionary."""
    match value:
        case list():
            elements = [json.dumps(element) for element in cast(list[object], value)]
            return "[\n " + ",\n ".join(elements) + "\n]" if elements else "[]"
        case dict():
            pairs = cast(Entries, value).items()
            return (
                "{\n " + ",\n ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pairs) + "\n}" if pairs else "{}"
            )
        case _:
            return json.dumps(value)


def _kernel(kernel: Kernel) -> Entries:
    return {
        "grid": kernel.grid,
        "block": kernel.block,
        "shared_memory": kernel.shared_memory,
        "writes": [argument.index for argument in kernel.arguments if argument.is_output],
    }


def _allocation(allocation: Allocation) -> Entries:
    found: Entries = {"kind": allocation.kind, "size": allocation.size}
    if allocation.parameter is not None:
        found["parameter"] = allocation.parameter
    if allocation.results:
        found["results"] = allocation.results
    if (value := allocation.constant_value) is not None:
        found["base64"] = b64encode(value.tobytes()).decode()
    elif allocation.constant is not None:
        found["elided"] = True
    return found


def _buffers(plan: LaunchPlan) -> list[Entries]:
    return [
        {
            "allocation": place.allocation,
            "offset": place.offset,
            "size": place.size,
            "steps": plan.lifetime(buffer.lifetime),
            "values": [leaf.name for leaf in buffer.leaves],
        }
        for buffer, place in plan.assignment.slices.items()
    ]


def _argument(argument: Argument) -> Entries:
    place = argument.slice
    return {"shape": argument.leaf.shape_text, "allocation": place.allocation, "offset": place.offset}


def _step(step: LaunchStep, module: CompiledModule) -> Entries:
    """A step: what all have, and what is special."""
    found: Entries = {"number": step.number, "name": step.name, "kind": step.kind}
    if isinstance(step, Call):
        found["operands"] = [_argument(argument) for argument in step.operands]
        found["results"] = [_argument(argument) for argument in step.results]
    for kind, special in SPECIAL.items():
        if isinstance(step, kind):
            found |= special(step, module)
    return found


def _launch(step: KernelStep, module: CompiledModule) -> Entries:
    kernel = module.kernels.get(step.fingerprint)
    return {"entry": None if kernel is None else kernel.entry}


def _library(step: LibraryStep, module: CompiledModule) -> Entries:
    return {"target": step.target, "configuration": _configuration(step.op)}


def _collective(step: CollectiveStep, module: CompiledModule) -> Entries:
    return {"operation": step.op.name.partition(".")[2], "configuration": _configuration(step.op)}


def _configuration(op: Operation) -> Entries:
    """The attributes of `op`, those of HLO by their names there, and the operations in its regions."""
    attributes = {**op.properties, **op.attributes}
    found = {name.removeprefix("hlo."): _value(value) for name, value in attributes.items() if name not in IGNORED}
    if op.regions:
        found["computes"] = [inner.name for region in op.regions for inner in region.walk()]
    return found


def _value(attribute: Attribute) -> object:
    """Text, or what it is the JSON of; any other attribute as MLIR has it."""
    if not isinstance(attribute, StringAttr):
        return str(attribute)
    try:
        return json.loads(attribute.data)
    except ValueError:
        return attribute.data


def _memset(step: MemsetStep, module: CompiledModule) -> Entries:
    return {"byte": step.byte}


def _loop(step: WhileStep, module: CompiledModule) -> Entries:
    return {
        "predicate": _argument(step.predicate),
        "condition": [_step(inner, module) for inner in step.condition],
        "body": [_step(inner, module) for inner in step.body],
    }


def _branches(step: ConditionalStep, module: CompiledModule) -> Entries:
    branches = [[_step(inner, module) for inner in branch] for branch in step.branches]
    return {"selector": _argument(step.selector), "branches": branches}


def _start(step: AsyncStartStep, module: CompiledModule) -> Entries:
    return {"steps": [_step(inner, module) for inner in step.steps]}


def _done(step: AsyncDoneStep, module: CompiledModule) -> Entries:
    return {"start": step.start}


SPECIAL: Mapping[type[LaunchStep], Callable[[Any, CompiledModule], Entries]] = {
    AsyncDoneStep: _done,
    AsyncStartStep: _start,
    CollectiveStep: _collective,
    ConditionalStep: _branches,
    KernelStep: _launch,
    LibraryStep: _library,
    MemsetStep: _memset,
    WhileStep: _loop,
}
"""The entries of each kind of step that others do not have."""
