"""The order of callees before callers, on random graphs, against the definition."""

from hypothesis import given
from hypothesis.strategies import DrawFn, composite, integers, lists

from xshardy.transforms.call_graph import bottom_up

Graph = dict[str, list[str]]


@composite
def graphs(draw: DrawFn) -> Graph:
    """Any graph of up to 8 functions, with repeated calls and calls of oneself."""
    count = draw(integers(1, 8))
    return {f"f{i}": [f"f{j}" for j in draw(lists(integers(0, count - 1), max_size=5))] for i in range(count)}


def reachable(graph: Graph, start: str) -> set[str]:
    """What `start` calls, directly or not."""
    found: set[str] = set()
    pending = list(graph[start])
    while pending:
        if (name := pending.pop()) not in found:
            found.add(name)
            pending += graph[name]
    return found


@given(graphs())
def test_each_function_follows_its_callees(graph: Graph):
    order = bottom_up(graph).order
    assert sorted(order) == sorted(graph)
    for caller, callees in graph.items():
        for callee in callees:
            assert order.index(callee) < order.index(caller) or caller in reachable(graph, callee)


@given(graphs())
def test_without_the_recursive_functions_no_cycle_is_left(graph: Graph):
    recursive = bottom_up(graph).recursive
    rest = {
        name: [c for c in callees if c not in recursive] for name, callees in graph.items() if name not in recursive
    }
    assert not any(name in reachable(rest, name) for name in rest)
    assert all(name in reachable(graph, name) for name in recursive)


def test_a_long_chain_needs_no_recursion_of_python():
    graph = {f"f{i}": [f"f{i + 1}"] for i in range(5000)} | {"f5000": []}
    assert bottom_up(graph).order[0] == "f5000"
