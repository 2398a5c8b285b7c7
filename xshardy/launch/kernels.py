"""
Compile the fusions of a module: each of several equal ones once, in several processes, and none that is in a cache.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from xdsl.utils.exceptions import DiagnosticException

from xshardy import compiler
from xshardy.launch.kernel_cache import KernelCache
from xshardy.lowering.code_generators import Kernel
from xshardy.programs.garbage import collect_rarely
from xshardy.syntax import parse_module

Progress = Callable[[int, int], None]
"""Called with the number of kernels that are done and the number of all."""


def no_progress(done: int, count: int) -> None:
    """A `Progress` that nobody sees."""


KERNELS_PER_PROCESS = 32
"""
More kernels than these are compiled sooner by a second process.

It takes 0.8 s to start, and a kernel of a transformer takes 50 ms (30 November 2026).
"""


@dataclass(frozen=True, slots=True)
class Failure:
    """A fusion that cannot be compiled, and why."""

    reason: str


def fingerprint_of(text: str) -> str:
    """A name for a fusion of this `fusion_text`: 32 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()[:32]


def compile_kernels(
    texts: Mapping[str, str],
    target: str,
    *,
    math: str,
    jobs: int,
    cache: KernelCache | None,
    progress: Progress,
    keep_going: bool,
) -> Mapping[str, Kernel | Failure]:
    """
    The kernel of each fusion of `texts`, texts by fingerprint, or why there is none.

    At most `jobs` processes compile; with several, a program's main module must be importable, as `multiprocessing`
    requires. Entries are called `entry_of(fingerprint)`. Without `keep_going`, ends after the first failure.
    """
    found: dict[str, Kernel | Failure] = {}
    if cache is not None:
        found = {name: kernel for name, text in texts.items() if (kernel := cache.get(text, target, math)) is not None}
    missing = {name: text for name, text in texts.items() if name not in found}
    progress(len(found), len(texts))
    for name, result in _compiled(missing, target, math, jobs):
        if cache is not None and isinstance(result, Kernel):
            cache.put(missing[name], target, math, result)
        found[name] = result
        progress(len(found), len(texts))
        if isinstance(result, Failure) and not keep_going:
            break
    return found


def _compiled(texts: Mapping[str, str], target: str, math: str, jobs: int) -> Iterator[tuple[str, Kernel | Failure]]:
    """The results by fingerprint, as they are made."""
    jobs = min(jobs, -(-len(texts) // KERNELS_PER_PROCESS))
    if jobs < 2:
        yield from ((name, compile_text(name, text, target, math)) for name, text in texts.items())
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    # Forking is not safe here: LLVM and the progress bar have threads.
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=collect_rarely) as pool:
        try:
            names = {pool.submit(compile_text, name, text, target, math): name for name, text in texts.items()}
            for future in as_completed(names):
                yield names[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def compile_text(fingerprint: str, text: str, target: str, math: str) -> Kernel | Failure:
    """The kernel of the fusion with this `fusion_text`, or why there is none."""
    try:
        return compiler.compile(parse_module(text), target=target, math=math, entry=entry_of(fingerprint))
    except DiagnosticException as error:
        return Failure(str(error).removeprefix("@f0: "))  # the name of any fused computation there


def entry_of(fingerprint: str) -> str:
    """The entry of a kernel until it is known what it is called in a module."""
    return f"fusion_{fingerprint}"


def renamed(kernel: Kernel, entry: str) -> Kernel:
    """`kernel`, a result of `compile_kernels`, with an entry called `entry`, an identifier of PTX."""
    return replace(kernel, entry=entry, assembly=kernel.assembly.replace(kernel.entry, entry))
