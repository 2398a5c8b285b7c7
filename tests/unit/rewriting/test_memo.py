"""Functions that remember."""

from xshardy.rewriting.memo import once_per_object


def test_once_for_each_object_and_not_for_equal_ones():
    calls: list[list[int]] = []

    @once_per_object
    def length(argument: list[int]) -> int:
        calls.append(argument)
        return len(argument)

    one, equal = [1], [1]
    assert [length(one), length(one), length(equal)] == [1, 1, 1]
    assert calls[0] is one and calls[1] is equal and len(calls) == 2


def test_a_result_that_is_none_is_remembered_too():
    calls: list[object] = []
    nothing = once_per_object(calls.append)
    argument = object()
    nothing(argument)
    nothing(argument)
    assert len(calls) == 1


def test_no_object_is_taken_for_one_that_is_gone():
    length = once_per_object(len)
    assert [length("x" * count) for count in range(1, 50)] == list(range(1, 50))
