"""
Synchronizing threads of a block on one host thread: the kernel becomes a coroutine in LLVM IR.

Every barrier and every shuffle suspends the coroutine. A scheduler, also in LLVM IR, resumes the threads of a warp
until all of them are at the barrier, and then those of the block. A shuffle stores its value in a slot of the thread,
and reads the slot of the other lane when resumed. Slots alternate, so that the next shuffle does not overwrite an
unread value.
"""

import re
from collections.abc import Iterator
from math import prod

from xdsl.utils.exceptions import InterpretationError

from xshardy.lowering.nvptx import KernelSource

WARP = 32
"""The threads of a warp."""

EXCHANGES = re.compile(r"@llvm\.nvvm\.(?:barrier|bar\.|shfl|redux|match|vote)[\w.]*")
"""The intrinsics that synchronize threads."""

_BARRIER = re.compile(r"\s*call void @llvm\.nvvm\.barrier0\(\)")
_SHUFFLE = re.compile(
    r"\s*(?P<result>%\S+) = call (?P<pair>\{ (?P<type>\w+), i1 \}) @llvm\.nvvm\.shfl\.sync\.(?P<mode>down|bfly)\.\w+\("
    r"i32 \S+, \w+ (?P<value>\S+), i32 (?P<distance>\S+), i32 \S+\)"
)
_LABEL = re.compile(r"^(\S+):$")
_PHI = re.compile(r"= phi ")

PROLOGUE = """\
  %co.id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %co.size = call i64 @llvm.coro.size.i64()
  %co.memory = call ptr @malloc(i64 %co.size)
  %co.handle = call ptr @llvm.coro.begin(token %co.id, ptr %co.memory)"""

EPILOGUE = """\
co.end:
  call void @xshardy.state(i8 0)
  %co.last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %co.last, label %co.suspended [i8 0, label %co.resumed
                                           i8 1, label %co.destroyed]
co.resumed:
  unreachable
co.destroyed:
  %co.freed = call ptr @llvm.coro.free(token %co.id, ptr %co.handle)
  call void @free(ptr %co.freed)
  br label %co.suspended
co.suspended:
  call void @llvm.coro.end(ptr %co.handle, i1 false, token none)
  ret ptr %co.handle
}"""

AT_SHUFFLE, AT_BARRIER = 1, 2
"""The reason of a suspension; 0: the thread has ended."""


def as_coroutine(text: str) -> str:
    """
    `text` with its kernel as a coroutine that returns its handle.

    Raises `InterpretationError` for unsupported intrinsics of this kind, and for those outside of the kernel.
    """
    start = text.index("define ptx_kernel void")
    end = text.index("\n}", start)
    before, kernel, behind = text[:start], text[start:end], text[end + 2 :]
    lines = list(_suspending(kernel.splitlines()))
    left = EXCHANGES.search("\n".join([*lines, *(line for line in (before + behind).splitlines() if "call " in line)]))
    if left is not None:
        raise InterpretationError(f"the host cannot run {left[0]}: run another level")
    return "\n".join([before, *lines, EPILOGUE, behind])


def _suspending(lines: list[str]) -> Iterator[str]:
    """The lines of a kernel, without its last brace, rewritten as a coroutine."""
    head, *body = lines
    last_piece: dict[str, str] = {}
    result: list[str] = []
    label, pieces = "", 0
    for line in body:
        if (found := _LABEL.match(line)) is not None:
            label, pieces = found[1], 0
            result += [line, *([PROLOGUE] if not last_piece else ())]
            last_piece[label] = label
        elif _BARRIER.fullmatch(line) or (shuffle := _SHUFFLE.fullmatch(line)) is not None:
            shuffle = _SHUFFLE.fullmatch(line)
            pieces += 1
            last_piece[label] = resumed = f"{label}.{pieces}"
            before, behind = ((), ()) if shuffle is None else _exchange(shuffle, resumed)
            state = AT_BARRIER if shuffle is None else AT_SHUFFLE
            result += [*before, *_suspend(state, resumed), *behind]
        else:
            result.append("  br label %co.end" if line.strip() == "ret void" else line)
    yield head.replace("define ptx_kernel void", "define ptr").replace(" {", " presplitcoroutine {")
    for line in result:
        if _PHI.search(line):
            line = re.sub(r", %(\S+) \]", lambda found: f", %{last_piece[found[1]]} ]", line)
        yield line


def _suspend(state: int, resumed: str) -> tuple[str, ...]:
    return (
        f"  call void @xshardy.state(i8 {state})",
        f"  %{resumed}.how = call i8 @llvm.coro.suspend(token none, i1 false)",
        f"  switch i8 %{resumed}.how, label %co.suspended [i8 0, label %{resumed}",
        "                                             i8 1, label %co.destroyed]",
        f"{resumed}:",
    )


def _exchange(shuffle: re.Match[str], name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The code of a shuffle before its suspension, and after it is resumed."""
    type, pair, result = shuffle["type"], shuffle["pair"], shuffle["result"]
    put = (f"  %{name}.own = call ptr @xshardy.put()", f"  store {type} {shuffle['value']}, ptr %{name}.own")
    get = (
        f"  %{name}.other = call ptr @xshardy.get.{shuffle['mode']}(i32 {shuffle['distance']})",
        f"  %{name}.value = load {type}, ptr %{name}.other",
        f"  {result} = insertvalue {pair} poison, {type} %{name}.value, 0",
    )
    return put, get


TARGET_LANES = {"down": "add", "bfly": "xor"}
"""For each mode of a shuffle the LLVM instruction that computes the other lane from the own one and the distance."""


def _get(mode: str, instruction: str, threads: int) -> str:
    """`xshardy.get.MODE(distance)`: the slot of the other lane; the own one if there is no such lane."""
    return f"""
define internal ptr @xshardy.get.{mode}(i32 %distance) noinline {{
  %thread = load i64, ptr @xshardy.thread
  %counter = getelementptr i64, ptr @xshardy.turns, i64 %thread
  %turn = load i64, ptr %counter
  %lane = urem i64 %thread, {WARP}
  %far = zext i32 %distance to i64
  %target = {instruction} i64 %lane, %far
  %inside = icmp ult i64 %target, {WARP}
  %first = sub i64 %thread, %lane
  %other = add i64 %first, %target
  %there = icmp ult i64 %other, {threads}
  %is = and i1 %inside, %there
  %source = select i1 %is, i64 %other, i64 %thread
  %place = getelementptr [{threads} x i64], ptr @xshardy.slots, i64 %turn, i64 %source
  ret ptr %place
}}
"""


def scheduler(kernel: KernelSource, arguments: str) -> str:
    """`xshardy.block(arguments)`: the LLVM IR that runs all threads of a block of a coroutine kernel."""
    threads = prod(kernel.block)
    names = ", ".join(part.split()[-1] for part in arguments.split(","))
    passed = ", ".join(f"ptr {name}" for name in names.split(", "))
    return f"""
@xshardy.thread = internal global i64 0
@xshardy.handles = internal global [{threads} x ptr] zeroinitializer
@xshardy.states = internal global [{threads} x i8] zeroinitializer
@xshardy.turns = internal global [{threads} x i64] zeroinitializer
@xshardy.slots = internal global [2 x [{threads} x i64]] zeroinitializer

define internal void @xshardy.state(i8 %state) noinline {{
  %thread = load i64, ptr @xshardy.thread
  %place = getelementptr i8, ptr @xshardy.states, i64 %thread
  store i8 %state, ptr %place
  ret void
}}

define internal ptr @xshardy.put() noinline {{
  %thread = load i64, ptr @xshardy.thread
  %counter = getelementptr i64, ptr @xshardy.turns, i64 %thread
  %before = load i64, ptr %counter
  %turn = xor i64 %before, 1
  store i64 %turn, ptr %counter
  %place = getelementptr [{threads} x i64], ptr @xshardy.slots, i64 %turn, i64 %thread
  ret ptr %place
}}

{"".join(_get(mode, instruction, threads) for mode, instruction in TARGET_LANES.items())}
define internal i1 @xshardy.resume(i8 %state, i64 %first, i64 %end) noinline {{
entry:
  br label %loop
loop:
  %thread = phi i64 [ %first, %entry ], [ %next, %behind ]
  %any = phi i1 [ false, %entry ], [ %all, %behind ]
  %more = icmp ult i64 %thread, %end
  br i1 %more, label %look, label %done
look:
  %place = getelementptr i8, ptr @xshardy.states, i64 %thread
  %now = load i8, ptr %place
  %due = icmp eq i8 %now, %state
  br i1 %due, label %run, label %behind
run:
  call void @xshardy.set_thread(i64 %thread)
  store i64 %thread, ptr @xshardy.thread
  %slot = getelementptr ptr, ptr @xshardy.handles, i64 %thread
  %handle = load ptr, ptr %slot
  call void @llvm.coro.resume(ptr %handle)
  br label %behind
behind:
  %all = phi i1 [ %any, %look ], [ true, %run ]
  %next = add i64 %thread, 1
  br label %loop
done:
  ret i1 %any
}}

define internal void @xshardy.block({arguments}) noinline {{
entry:
  br label %start
start:
  %thread = phi i64 [ 0, %entry ], [ %next, %start ]
  call void @xshardy.set_thread(i64 %thread)
  store i64 %thread, ptr @xshardy.thread
  %handle = call ptr @"{kernel.function}"({passed})
  %slot = getelementptr ptr, ptr @xshardy.handles, i64 %thread
  store ptr %handle, ptr %slot
  %next = add i64 %thread, 1
  %more = icmp ult i64 %next, {threads}
  br i1 %more, label %start, label %warps
warps:
  %first = phi i64 [ 0, %start ], [ %second, %warp.done ], [ 0, %barrier ]
  %second = add i64 %first, {WARP}
  %over = icmp ugt i64 %second, {threads}
  %end = select i1 %over, i64 {threads}, i64 %second
  br label %warp
warp:
  %shuffled = call i1 @xshardy.resume(i8 {AT_SHUFFLE}, i64 %first, i64 %end)
  br i1 %shuffled, label %warp, label %warp.done
warp.done:
  %left = icmp ult i64 %second, {threads}
  br i1 %left, label %warps, label %barrier
barrier:
  %waited = call i1 @xshardy.resume(i8 {AT_BARRIER}, i64 0, i64 {threads})
  br i1 %waited, label %warps, label %destroy
destroy:
  %dead = phi i64 [ 0, %barrier ], [ %after, %destroy ]
  %old = getelementptr ptr, ptr @xshardy.handles, i64 %dead
  %ended = load ptr, ptr %old
  call void @llvm.coro.destroy(ptr %ended)
  %after = add i64 %dead, 1
  %others = icmp ult i64 %after, {threads}
  br i1 %others, label %destroy, label %return
return:
  ret void
}}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
"""
