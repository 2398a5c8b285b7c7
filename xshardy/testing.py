"""Assertions about what programs communicate, hold and compute, for tests."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xshardy.api import plan as plan_of
from xshardy.api import prove

if TYPE_CHECKING:
    from xshardy.planning.plan import Plan
    from xshardy.programs.meshes import MeshSizes
    from xshardy.programs.source import ProgramSource
    from xshardy.proving.verdict import Verdict


def listed_collectives(plan: "Plan") -> list[str]:
    """A line for each of the collectives, with its cause."""
    return [
        f"  {each.count} x {each.kind} of {each.tensor}, {each.bytes} bytes: {each.cause.text}"
        for each in plan.collectives
    ]


def listed_memory(plan: "Plan") -> list[str]:
    """A line for each of the largest tensors at the peak of memory."""
    return [f"  {held.bytes} bytes: {held.name}" for held in plan.held[:10]]


def assert_collectives(
    source: "ProgramSource",
    expected: Mapping[str, int],
    *,
    arguments: Sequence[object] = (),
    mesh: "MeshSizes | None" = None,
) -> "Plan":
    """
    Check how many collectives of each kind a device executes: `{"all-reduce": 4}`, and no others.

    `source`, `arguments` and `mesh` are those of `xshardy.plan`, whose result is returned. Raises `AssertionError` that
    lists the collectives with their causes.
    """
    plan = plan_of(source, arguments=arguments, mesh=mesh)
    wanted = {kind: count for kind, count in expected.items() if count}
    if plan.counts != wanted:
        found = f"expected the collectives {wanted}, found {dict(plan.counts)}"
        raise AssertionError("\n".join((found, *listed_collectives(plan))))
    return plan


def assert_peak_below(
    source: "ProgramSource",
    bytes: int,
    *,
    arguments: Sequence[object] = (),
    mesh: "MeshSizes | None" = None,
) -> "Plan":
    """
    Check that a device never holds `bytes` bytes or more, as estimated by `xshardy.plan`, whose result is returned.

    Raises `AssertionError` that lists the largest tensors at the peak.
    """
    plan = plan_of(source, arguments=arguments, mesh=mesh)
    if plan.peak_bytes >= bytes:
        found = f"expected less than {bytes} bytes at the peak, found {plan.peak_bytes}"
        raise AssertionError("\n".join((found, *listed_memory(plan))))
    return plan


def assert_partition_proved(
    source: "ProgramSource",
    local: "ProgramSource | None" = None,
    *,
    arguments: Sequence[object] = (),
    mesh: "MeshSizes | None" = None,
) -> "Verdict":
    """
    Check that each device computes its part of a program for all inputs, as `xshardy.prove` proves.

    The arguments are those of `xshardy.prove`, whose verdict is returned. Raises `AssertionError` with the verdict.
    """
    verdict = prove(source, local, arguments=arguments, mesh=mesh)
    if not verdict:
        raise AssertionError(str(verdict))
    return verdict
