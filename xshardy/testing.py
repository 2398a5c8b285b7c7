"""Assertions about what programs communicate and hold, for tests."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xshardy.api import plan as plan_of

if TYPE_CHECKING:
    from xshardy.planning.plan import Plan
    from xshardy.programs.meshes import MeshSizes
    from xshardy.programs.source import ProgramSource


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
        listed = "\n".join(
            f"  {each.count} x {each.kind} of {each.tensor}, {each.bytes} bytes: {each.cause.text}"
            for each in plan.collectives
        )
        raise AssertionError(f"expected the collectives {wanted}, found {dict(plan.counts)}\n{listed}".rstrip())
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
        listed = "\n".join(f"  {held.bytes} bytes: {held.name}" for held in plan.held[:10])
        raise AssertionError(f"expected less than {bytes} bytes at the peak, found {plan.peak_bytes}\n{listed}")
    return plan
