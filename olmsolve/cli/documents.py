"""Documents that commands alone write: lists around values, and answers in one line to one question of several.

Commands import this when JSON is asked for. The values in the lists are named through their doors, which load them
when a schema is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import olmsolve
from olmsolve._records import Record, documented, field, record


@record(definition="error", about="The question has no answer, for this reason.")
class NoAnswer(Record):
    """A question that has no answer."""

    error: str = field("A sentence for people.")
    hindrances: tuple[olmsolve.cluster.Hindrance, ...] = field(
        "What the cluster's objects say nevertheless.", default=(), empty="absent"
    )
    cluster_ways_out: tuple[olmsolve.lifecycle.ways_out.ClusterWayOut, ...] = field(
        "Ways out of it, the least harm first.", default=(), empty="absent"
    )


@record(definition="noPath", about="Nothing is installed, so there is no path.", layout=("path", "reason"))
class NoPath(Record):
    """An extension without a path."""

    reason: str = field("Why.")

    @property
    @documented("Null, because there is no path.")
    def path(self) -> None:
        return None


@record(definition="notInPlan", about="The bundle is not in this plan, but in the plan of another question.")
class NotInPlan(Record):
    """A plan without the bundle that is asked about."""

    absent: str = field("The bundle.")


@record(definition="onlyOnOneSide", about="The question is asked on one side only.")
class OnlyOnOneSide(Record):
    """A question that cannot be compared."""

    only: str = field("The side that has an answer.", schema={"enum": ["before", "afterwards"]})


@record(definition="otherPackage", about="The extension is for another package than the question.")
class OtherPackage(Record):
    """An extension that a question is not about."""

    package: str = field("The package of the extension.")


@record(
    definition="olmsolve.backends",
    title="The SAT solvers that can answer requests",
    about="docs/backends.md gives the meaning of the fields.",
)
class BackendList(Record):
    """The list that ``olmsolve backends`` writes."""

    backends: tuple[olmsolve.Backend, ...] = field("The backends, the default first.")


@record(
    definition="olmsolve.catalog.edges",
    title="The updates that the channels of a catalog offer",
    about="docs/compose.md gives the meaning of the fields.",
)
class UpdateEdgeList(Record):
    """The list that ``olmsolve catalog edges`` writes as JSON or YAML; as JSON on lines, each update stands alone."""

    edges: tuple[olmsolve.authoring.compose.UpdateEdge, ...] = field("The updates, by package and channel.")


@record
class TakenSetting(Record):
    """A setting that commands use without an option."""

    name: str = field("The name of the setting.")
    value: str = field("Its value; a catalog has its name and its path.")
    file: str = field("The project file that has the setting.")


@record(
    definition="olmsolve.where",
    title="The catalogs and settings that commands use, and where they come from",
    about="docs/project-file.md gives the meaning of the fields.",
)
class TakenSettings(Record):
    """The settings that ``olmsolve where`` shows."""

    settings: tuple[TakenSetting, ...] = field("The settings of the project file, none without one.")
    variables: Mapping[str, str] = field("The variables of the environment that matter, by name.")


@record(
    definition="olmsolve.paths",
    title="The updates of each subscription",
    about="docs/cluster.md gives the meaning of the fields.",
)
class PathList(Record):
    """The paths of a request's subscriptions."""

    subscriptions: tuple[olmsolve.classic.SubscriptionPath, ...] = field("The subscriptions, in their order.")


@record(
    definition="olmsolve.crdCheck",
    title="Whether new CustomResourceDefinitions may replace old ones",
    about="docs/crd-upgrades.md gives the meaning of the fields.",
)
class CrdCheckReport(Record):
    """The verdicts of ``olmsolve crd-check``."""

    allowed: bool = field("The verdict that --olm asks for.")
    crds: tuple[olmsolve.cluster.crds.UpgradeCheck, ...] = field("The definitions, by name.")
    added: tuple[str, ...] = field("Definitions that replace nothing.")


_WRITTEN: Final = ("installPlan", "subscriptionObject", "clusterExtensionObject")


@record(
    definition="writtenObjects",
    title="The objects that OLM would write",
    about="A List, as kubectl prints it (docs/install-plans.md).",
    layout=("api_version", "object_kind", "items"),
)
class WrittenObjects(Record):
    """The list that ``olmsolve plan`` writes."""

    items: tuple[Mapping[str, Any], ...] = field(
        "The objects that OLM would write.",
        schema={
            "items": {
                "anyOf": [
                    {"$ref": f"#/$defs/{name}"}
                    for name in ("installPlan", "subscriptionObject", "clusterExtensionObject")
                ]
            }
        },
    )
    api_version: str = field(default="v1", schema={"const": "v1", "type": None})
    object_kind: str = field(path="kind", default="List", schema={"const": "List", "type": None})
