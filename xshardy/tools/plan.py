"""`xshardy plan`: what a program communicates and holds on each device, as tables or as JSON."""

from collections.abc import Callable, Iterable, Sequence

from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.collective_bytes import RAGGED
from xshardy.planning.collectives import Collective, annotations_of, axes_of, line_of, summed
from xshardy.planning.plan import Estimate, Plan
from xshardy.planning.scopes import ScopeSum
from xshardy.planning.topology import Topology
from xshardy.tools.columns import print_line, print_table


def print_plan(plan: Plan, top: int, topology: Topology | None = None) -> None:
    """The `top` largest collectives with their causes, sums of all, the memory, and times on `topology`."""
    estimate = None if topology is None else plan.estimate(topology)
    print_collectives(plan, top, estimate)
    print_memory(plan, top)
    if estimate is not None:
        print_estimate(estimate)


def print_collectives(plan: Plan, top: int, estimate: Estimate | None) -> None:
    """The `top` largest collectives with their causes, and sums of all."""
    if not plan.collectives:
        print_line("no collectives: no device needs what another one holds")
        return
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(plan.counts.items()))
    print_line(f"collectives: {in_bytes(plan.bytes)} sent per device, {counts}")
    times = [None] * len(plan.collectives) if estimate is None else estimate.collectives
    pairs = zip(plan.collectives, times, strict=True)
    for collective, seconds in sorted(pairs, key=lambda pair: -pair[0].total)[:top]:
        print_collective(collective, seconds)
    for title, key_of in (("sent for", annotations_of), ("sent along", axes_of), ("sent at", line_of)):
        print_sums(title, summed(plan.collectives, key_of), top)


def print_collective(collective: Collective, seconds: float | None) -> None:
    """`1 MiB  all-reduce of %2 (line 10), along model, 20 us`, and the cause on the next line."""
    at_least = "" if collective.is_exact else ", in a branch or a loop of unknown length"
    if collective.kind == RAGGED:
        at_least += ", at most: the sizes are known when it runs"
    times = f" ({collective.count} x {in_bytes(collective.bytes)})" if collective.count > 1 else ""
    along = f", along {' and '.join(collective.axes)}" if collective.axes else ""
    what = f"{in_bytes(collective.total)}  {collective.kind} of {collective.tensor}{along}{times}{at_least}"
    what += "" if seconds is None else f", {in_seconds(seconds)}"
    for line in (f"  {what}", f"      {collective.cause.text}"):
        print_line(line)


def print_sums(title: str, sums: Sequence[tuple[str, int, int]], top: int) -> None:
    """A table of the `top` largest sums of bytes."""
    if sums:
        rows = [(key, in_bytes(sent), str(count)) for key, sent, count in sums[:top]]
        print_table((title, "per device", "collectives"), rows)


def print_scopes(sums: Sequence[ScopeSum], top: int, topology: Topology) -> None:
    """A table of the `top` scopes that take the longest by the estimate on `topology`."""
    rows = [
        (
            each.scope or "(no name)",
            str(each.layers),
            in_bytes(each.sent),
            str(each.collectives),
            f"{each.flops / 1e9:.3g}",
            in_seconds(each.seconds),
        )
        for each in sums[:top]
    ]
    if rows:
        print_table(("scope", "layers", "sent", "collectives", "GFLOP", f"time on {topology.name}"), rows)


def print_memory(plan: Plan, top: int) -> None:
    """The peak, and what is in memory then."""
    print_line(
        f"memory: {in_bytes(plan.peak_bytes)} at the peak per device, of which arguments "
        f"{in_bytes(plan.argument_bytes)}"
    )
    if plan.held:
        print_table(("at the peak", "per device"), [(held.name, in_bytes(held.bytes)) for held in plan.held[:top]])


def print_estimate(estimate: Estimate) -> None:
    """The times, and what they leave out."""
    compute, name = estimate.compute, estimate.topology.name
    for line in (
        f"estimated time on {name}: {in_seconds(estimate.total)}, of which collectives "
        f"{in_seconds(estimate.communication)}; {in_seconds(max(compute.seconds, estimate.communication))} if they "
        "overlap with all else",
        f"  each device computes {compute.flops / 1e9:.3g} GFLOP of products and moves {in_bytes(compute.bytes)} of "
        "memory, at the peaks of the topology; collectives take a latency for each step and the bandwidth of one link; "
        "launches, contention and small sizes are left out",
    ):
        print_line(line)


def in_seconds(seconds: float) -> str:
    """`0.00125` -> `1.25 ms`"""
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def as_json(plan: Plan, topology: Topology | None = None) -> dict[str, object]:
    """The plan as `--json` prints it; bytes and times are those of one device, times are in seconds."""
    estimate = None if topology is None else plan.estimate(topology)
    program = plan.traced.partitioned
    return {
        "devices": plan.devices,
        "collectives": [
            _collective(each) | ({} if estimate is None else {"seconds": estimate.collectives[index]})
            for index, each in enumerate(plan.collectives)
        ],
        "bytes": plan.bytes,
        "argument_bytes": plan.argument_bytes,
        "result_bytes": plan.result_bytes,
        "peak_bytes": plan.peak_bytes,
        "at_peak": [{"tensor": held.name, "line": held.line, "bytes": held.bytes} for held in plan.held],
        "arguments": [dimensions(sharding) or None for sharding in program.argument_shardings],
        "results": [dimensions(sharding) or None for sharding in program.result_shardings],
        **({} if estimate is None else _times(estimate)),
    }


def _times(estimate: Estimate) -> dict[str, object]:
    return {
        "topology": estimate.topology.name,
        "flops": estimate.compute.flops,
        "bytes_moved": estimate.compute.bytes,
        "compute_seconds": estimate.compute.seconds,
        "communication_seconds": estimate.communication,
    }


def _collective(collective: Collective) -> dict[str, object]:
    return {
        "kind": collective.kind,
        "axes": collective.axes,
        "group": collective.group,
        "bytes": collective.bytes,
        "count": collective.count,
        "exact": collective.is_exact,
        "tensor": collective.tensor,
        "operation": collective.operation,
        "line": collective.line,
        "cause": collective.cause.text,
        "annotations": collective.cause.annotations,
    }


def print_comparison(before: Plan, after: Plan, names: tuple[str, str], topology: Topology | None = None) -> None:
    """Two plans side by side, with times on `topology`."""
    rows: list[tuple[str, str, str, str]] = []
    for what, old, new in _figures(before, after):
        in_words = str if what.startswith("executed") else in_bytes
        rows.append((what, in_words(old), in_words(new), _change(old, new, in_words) if new != old else ""))
    if topology is not None:
        old, new = (plan.estimate(topology).total for plan in (before, after))
        what = f"estimated time on {topology.name}"
        rows.append((what, in_seconds(old), in_seconds(new), _change(old, new, in_seconds)))
    print_table(("per device", *names, "difference"), rows)


def _change(old: float, new: float, in_words: Callable[[float], str]) -> str:
    return ("+" if new >= old else "-") + in_words(abs(new - old))


def _figures(before: Plan, after: Plan) -> Iterable[tuple[str, int, int]]:
    yield "sent", before.bytes, after.bytes
    old, new = before.counts, after.counts
    for kind in sorted({*old, *new}):
        yield f"executed {kind}", old.get(kind, 0), new.get(kind, 0)
    by_axes = [{key: sent for key, sent, _ in summed(plan.collectives, axes_of)} for plan in (before, after)]
    for axes in sorted({*by_axes[0], *by_axes[1]}):
        yield f"sent along {axes}", by_axes[0].get(axes, 0), by_axes[1].get(axes, 0)
    yield "arguments", before.argument_bytes, after.argument_bytes
    yield "memory at the peak", before.peak_bytes, after.peak_bytes
