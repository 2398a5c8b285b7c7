"""
What agents publish by strong accesses, and learn by them: release and acquire patterns, by modifiers or by fences.

A fence, or `.release`, in front of a strong write publishes what the agent has done and knows, at the place of the
write. A fence, or `.acquire`, behind a strong read of that place learns it. Atomic updates of the place pass on what
they read. Both accesses, and the first and the last operation of the patterns, must be morally strong: the scope of
each includes the other agent. Source: PTX ISA, "Memory Consistency Model": "Scope", "Morally strong operations",
"Release and Acquire Patterns", "Observation Order".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from xshardy.numerics.element_types import Array

STRONG = ("relaxed", "acquire", "release", "acq_rel", "volatile", "mmio")
"""Modifiers of accesses that do not race with atomic ones."""
ACCESSES = ("ld", "st", "atom", "red")
"""Instructions that publish and learn; an `mbarrier` has knowledge of its own."""


class MemoryScope(IntEnum):
    """Which threads take part in the order of a strong operation. There is one GPU: `.sys` is `GPU`."""

    WEAK = -1
    """No strong operation."""
    CTA = 0
    CLUSTER = 1
    GPU = 2


SCOPES: Mapping[str, MemoryScope] = {"cta": MemoryScope.CTA, "cluster": MemoryScope.CLUSTER}


def scope_of(words: Sequence[str]) -> MemoryScope:
    """The scope of a strong operation with an opcode of these words."""
    return next((SCOPES[word] for word in words if word in SCOPES), MemoryScope.GPU)


def acquires(words: Sequence[str]) -> bool:
    """Whether an access or fence with an opcode of these words learns what is published."""
    return not {"acquire", "acq_rel", "sc"}.isdisjoint(words) or words[0] == "membar"


def releases(words: Sequence[str]) -> bool:
    """Whether it publishes what is done."""
    return not {"release", "acq_rel", "sc"}.isdisjoint(words) or words[0] == "membar"


def orders_threads(words: Sequence[str]) -> bool:
    """Whether an instruction is a fence between threads, not one of proxies or of new `mbarrier` objects."""
    return words[0] == "membar" or (words[0] == "fence" and words[1] not in ("proxy", "mbarrier_init"))


class Agent(NamedTuple):
    """A warp: its cluster in the grid, its block in the cluster, and its number in the cluster."""

    cluster: int
    rank: int
    number: int


Knowledge: TypeAlias = Mapping[int, Array]
"""By cluster, up to which release all is done that each agent of it did: see `Clocks`. Nobody changes it."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a release pattern publishes: all that its agent did and knew before the first operation of the pattern."""

    agent: Agent
    scope: MemoryScope
    """Of the first operation."""
    knowledge: Knowledge
    number: int
    """How often the agent had released: of its messages, a later one has a larger number."""


Messages: TypeAlias = Mapping[tuple[Agent, MemoryScope], Message]
"""The latest message by its agent and scope."""


@dataclass(frozen=True, slots=True)
class Written:
    """The last strong write of a place, and what those learn that read it."""

    agent: Agent
    scope: MemoryScope
    messages: Messages


Places: TypeAlias = dict[int, Written]
"""By the first byte in a region."""


@dataclass(frozen=True, slots=True)
class StrongAccess:
    """What an instruction does at a place."""

    scope: MemoryScope
    reads: bool
    """Whether the threads get the value. A `red` passes on what is published there, and does not learn it."""
    writes: bool
    updates: bool
    acquires: bool


class Releases:
    """What the agents of a grid have published, and what they have read of that."""

    def __init__(self, blocks: Sequence[int], learners: dict[tuple[int, int], None]) -> None:
        self.blocks = blocks
        """The numbers of the blocks in the order of execution."""
        self.learners = learners
        """Gets the warps that learn what others have published: the number of the block, and of the warp in it."""
        self._fenced: dict[Agent, Messages] = {}
        """What each agent publishes by its next strong writes, since it has executed fences."""
        self._seen: dict[Agent, Messages] = {}
        """What each agent learns at its next fence."""

    @property
    def is_fenced(self) -> bool:
        """Whether an agent has executed a fence."""
        return bool(self._fenced)

    @property
    def is_used(self) -> bool:
        """Whether an agent has executed a fence, or read what another one has published."""
        return bool(self._fenced or self._seen)

    def fence(self, scope: MemoryScope, message: Message) -> None:
        """Let the agent of a message publish it by its next strong writes."""
        agent = message.agent
        before = self._fenced.get(agent, {})
        wider = {key: other for key, other in before.items() if key[0] != agent or key[1] > scope}
        self._fenced[agent] = {**wider, (agent, scope): message}

    def meet(self, arriving: Sequence[Agent], leaving: Sequence[Agent]) -> None:
        """
        Let fences and reads of agents in front of a barrier count for those behind it.

        The PTX ISA has both parts of a pattern in one thread. Kernels rely on more, as in: all threads of a block
        write and execute a fence, and behind a barrier one of them sets a flag.
        """
        for of_agents in (self._fenced, self._seen):
            together = newest(*(of_agents[agent] for agent in arriving if agent in of_agents))
            for agent in leaving if together else ():
                of_agents[agent] = together

    def seen_by(self, agent: Agent, scope: MemoryScope) -> list[Message]:
        """What an agent learns by a fence."""
        seen = self._seen.get(agent, {}).values()
        return [message for message in seen if _is_morally_strong(message, agent, scope)]

    def access(
        self, places: Places, place: int, agent: Agent, access: StrongAccess, message: Message | None
    ) -> list[Message]:
        """Note a strong access of an agent, which releases `message`. What it learns at once."""
        before = places.get(place)
        read: Messages = {}
        if before is not None and _is_morally_strong(before, agent, access.scope):
            read = before.messages
        if access.reads and read:
            self._seen[agent] = newest(self._seen.get(agent, {}), read)
        if access.writes:
            released: Messages = {} if message is None else {(agent, message.scope): message}
            written = newest(read if access.updates else {}, self._fenced.get(agent, {}), released)
            if written:
                places[place] = Written(agent, access.scope, written)
            else:
                places.pop(place, None)
        if not (access.reads and access.acquires):
            return []
        return [message for message in read.values() if _is_morally_strong(message, agent, access.scope)]


def newest(*groups: Messages) -> Messages:
    """Of several groups of messages, the newest by each agent and scope. Many places share what one fence publishes."""
    groups = tuple(group for group in groups if group)
    if len(groups) == 1:
        return groups[0]
    found: dict[tuple[Agent, MemoryScope], Message] = {}
    for group in groups:
        for key, message in group.items():
            if (other := found.get(key)) is None or other.number < message.number:
                found[key] = message
    return found


def _is_morally_strong(before: Message | Written, agent: Agent, scope: MemoryScope) -> bool:
    """Whether an operation of an agent with a scope and one before are in the scope of each other."""
    other = before.agent
    narrower = min(scope, before.scope)
    if narrower is MemoryScope.GPU or agent == other:
        return True
    return agent.cluster == other.cluster and (narrower is MemoryScope.CLUSTER or agent.rank == other.rank)
