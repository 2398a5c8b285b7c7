"""Meshes with other axes over the same devices: tensors go from one to another by the parts that each device has."""

import warnings
from random import Random

import pytest

import xshardy

MESHES = {
    8: ((8,), (2, 4), (4, 2), (2, 2, 2)),
    12: ((12,), (4, 3), (3, 4), (6, 2), (2, 6), (2, 3, 2)),
}
PROGRAM = """
{meshes}
func.func @main(%x: tensor<{shape}xi32>, %y: tensor<{shape}xi32> {{sdy.sharding = #sdy.sharding<{of_y}>}})
    -> (tensor<{shape}xi32> {{sdy.sharding = #sdy.sharding<{of_result}>}}, tensor<i32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = sdy.sharding_constraint %x <{first}> : tensor<{shape}xi32>
  %1 = stablehlo.negate %0 : tensor<{shape}xi32>
  %2 = sdy.sharding_constraint %1 <{second}> : tensor<{shape}xi32>
  %3 = stablehlo.multiply %2, %y : tensor<{shape}xi32>
  %4 = sdy.sharding_constraint %3 <{third}> : tensor<{shape}xi32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<{shape}xi32>, tensor<i32>) -> tensor<i32>
  return %4, %5 : tensor<{shape}xi32>, tensor<i32>
}}
"""


def random_program(rng: Random) -> str:
    """A program whose tensors are divided over meshes of 8 or 12 devices; the dimensions divide now and then."""
    devices = rng.choice([*MESHES])
    meshes = {
        f"@m{number}": {f"{'abc'[number]}{axis}": size for axis, size in enumerate(rng.choice(MESHES[devices]))}
        for number in range(3)
    }

    def sharding() -> str:
        name = rng.choice([*meshes])
        axes = [*meshes[name]]
        rng.shuffle(axes)
        cuts = sorted(rng.randint(0, len(axes)) for _ in range(2))
        dims = axes[: cuts[0]], axes[cuts[0] : cuts[1]]
        return f"{name}, [{', '.join('{' + ', '.join(map(quoted, dim)) + '}' for dim in dims)}]"

    def quoted(axis: str) -> str:
        return f'"{axis}"'

    shape = "x".join(str(rng.choice([devices, devices * 2, 10, 7])) for _ in range(2))
    declared = [
        f"sdy.mesh {name} = <[{', '.join(f'{quoted(axis)}={size}' for axis, size in axes.items())}]>"
        for name, axes in meshes.items()
    ]
    places = ("of_y", "of_result", "first", "second", "third")
    return PROGRAM.format(meshes="\n".join(declared), shape=shape, **{place: sharding() for place in places})


def check_random_program(seed: int) -> None:
    text = random_program(Random(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert xshardy.run(text, check=True, seed=seed).agrees, text


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_compute_on_several_meshes_what_one_device_does(seed: int):
    check_random_program(seed)


MOVE = """
sdy.mesh @first = <["x"=4, "y"=2]>
sdy.mesh @second = <SECOND>
func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.sharding_constraint %a <@first, [{}, {BEFORE}]> : tensor<16x8xf32>
  %1 = stablehlo.sine %0 : tensor<16x8xf32>
  %2 = sdy.sharding_constraint %1 <@second, [AFTER]> : tensor<16x8xf32>
  %3 = stablehlo.cosine %2 : tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}
"""


@pytest.mark.parametrize(
    ("second", "before", "after", "counts"),
    [
        ('["u"=8]', '"x", "y"', '{}, {"u"}', {}),
        ('["p"=2, "q"=4]', '"x", "y"', '{}, {"p", "q"}', {}),
        ('["p"=2, "q"=2, "r"=2]', '"x"', '{}, {"p", "q"}', {}),
        ('["p"=2, "q"=4]', '"x"', '{}, {"q"}', {"collective-permute": 1}),
        ('["p"=2, "q"=4]', '"x", "y"', '{}, {"p"}', {"all-gather": 1}),
        ('["p"=2, "q"=4]', '"x"', '{"q"}, {}', {"all-to-all": 1, "all-gather": 1}),
    ],
)
def test_what_moves_is_what_devices_lack(
    second: str, before: str, after: str, counts: dict[str, int], recwarn: pytest.WarningsRecorder
):
    text = MOVE.replace("SECOND", second).replace("BEFORE", before).replace("AFTER", after)
    assert xshardy.plan(text).counts == counts
    assert xshardy.run(text, check=True).agrees and not recwarn.list


def test_an_operation_on_two_meshes():
    """Each of its operands goes to the parts of the result; nothing is gathered."""
    operands = "%x: tensor<16x8xf32> {ON@first, [{X}, {Y}]>}, %y: tensor<16x8xf32> {ON@second, [{P}, {Q}]>}"
    text = f"""
    sdy.mesh @first = <["x"=4, "y"=2]>
    sdy.mesh @second = <["p"=2, "q"=4]>
    func.func @main({operands}) -> (tensor<16x8xf32> {{ON@second, [{{P}}, {{Q}}]>}}) {{
      %0 = stablehlo.add %x, %y : tensor<16x8xf32>
      return %0 : tensor<16x8xf32>
    }}"""
    text = text.replace("ON", "sdy.sharding = #sdy.sharding<")
    for axis in "XYPQ":
        text = text.replace("{" + axis + "}", "{" + f'"{axis.lower()}"' + "}")
    program = xshardy.partition(text)
    assert [str(tensor.sharding) for tensor in program.results] == ['#sdy.sharding<@second, [{"p"}, {"q"}]>']
    assert "all-gather" not in xshardy.plan(text).counts
    assert xshardy.run(text, check=True).agrees


def test_a_manual_computation_over_another_mesh():
    text = """
    sdy.mesh @first = <["x"=4, "y"=2]>
    sdy.mesh @second = <["p"=2, "q"=2, "r"=2]>
    func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@first, [{"x", "y"}, {}]>}) -> tensor<16x8xf32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@second, [{"p", "q", "r"}, {}]>]
        out_shardings=[<@second, [{"p", "q", "r"}, {}]>] manual_axes={"p", "q", "r"} (%b: tensor<2x8xf32>) {
        %1 = stablehlo.sine %b : tensor<2x8xf32>
        sdy.return %1 : tensor<2x8xf32>
      } : (tensor<16x8xf32>) -> tensor<16x8xf32>
      return %0 : tensor<16x8xf32>
    }"""
    assert xshardy.plan(text).counts == {}
    assert xshardy.run(text, check=True).agrees


def test_meshes_without_common_parts_are_gathered():
    text = MOVE.replace('"x"=4, "y"=2', '"x"=2, "y"=3').replace("SECOND", '["p"=3, "q"=2]')
    text = text.replace("BEFORE", '"x"').replace("AFTER", '{}, {"p"}').replace("x8x", "x6x")
    with pytest.warns(UserWarning, match="over different meshes"):
        assert xshardy.plan(text).counts == {"all-gather": 1}
    with pytest.warns(UserWarning, match="over different meshes"):
        assert xshardy.run(text, check=True).agrees
