"""Random numbers: a generator has one stream of numbers, so a device cannot draw its part of them by itself."""

from xshardy.dialects import stablehlo
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


class RandomBitsOfPart(LocalPattern[stablehlo.RngBitGeneratorOp, WholeTensor]):
    """
    `rng_bit_generator %s : 8` -> `dynamic_slice (rng_bit_generator %s : 8)`: draw all numbers and take the own part.

    A generator called for the part alone, with the same state on each device, would draw the same numbers everywhere.

    Refuses: a sharded state.
    """

    @staticmethod
    def decide(op: stablehlo.RngBitGeneratorOp, before: WholeTensors) -> WholeTensor | None:
        states = before.operands[0], before.results[0]
        if not all(state.is_replicated for state in states):
            raise refuse(
                op,
                "has a sharded state, and each device needs all of it: replicate it",
            )
        output = before.results[1]
        return None if output.is_replicated else output

    def rewrite(self, op: stablehlo.RngBitGeneratorOp, decision: WholeTensor, code: DeviceCode) -> None:
        drawn = stablehlo.RngBitGeneratorOp.create(
            operands=op.operands,
            result_types=[op.output_state.type, decision.type],
            properties=op.properties,
        )
        code.insert(drawn)
        code.replace(op, drawn.output_state, code.own_part(drawn.output, decision))


class RandomNumbersOfPart(LocalPattern[stablehlo.RngOp, WholeTensor]):
    """
    `rng %a, %b, %s : 4` -> `dynamic_slice (rng %a, %b, %s : 8)`: draw all numbers and take the own part.

    The hidden states of all devices are the same as long as they draw the same, which they do.

    Refuses: sharded operands.
    """

    @staticmethod
    def decide(op: stablehlo.RngOp, before: WholeTensors) -> WholeTensor | None:
        (output,) = before.results
        if not all(operand.is_replicated for operand in before.operands):
            raise refuse(op, "has a sharded operand, and each device needs all of it: let a constraint replicate it")
        return None if output.is_replicated else output

    def rewrite(self, op: stablehlo.RngOp, decision: WholeTensor, code: DeviceCode) -> None:
        drawn = stablehlo.RngOp.create(operands=op.operands, result_types=[decision.type], properties=op.properties)
        code.replace(op, code.own_part(code.insert(drawn), decision))
