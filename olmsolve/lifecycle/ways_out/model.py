"""Changes of a cluster's objects, by the harm that each can do.

Every change can apply itself to the objects, as the cluster would stand after the administrator's command; how OLM goes
on from there is for a simulation to tell. A change without effect on the objects (waiting, mending what no object of
the dump shows) leaves them as they are, or as they will be once that is done.
"""

from __future__ import annotations

import enum
from typing import ClassVar

from olmsolve._records import Record, field, record
from olmsolve.cluster import ClusterState


class Harm(enum.IntEnum):
    """The harm that a change can do, from none to the loss of what is there."""

    WAIT = 0
    REPAIR = 1
    APPROVE = 2
    PATCH = 3
    ADD = 4
    MOVE = 5
    REMOVE = 6


@record
class ObjectsChange(Record):
    """A change of a cluster's objects."""

    _harm: ClassVar[Harm]
    _risk: ClassVar[str] = ""
    namespace: str = field("The namespace of the change.")

    @property
    def harm(self) -> Harm:
        """The harm that the change can do."""
        return self._harm

    @property
    def risk(self) -> str:
        """The danger of the change in words, "" for none."""
        return self._risk

    def apply(self, state: ClusterState) -> ClusterState:
        """Return *state* after the change."""
        return state
