"""InstallPlan: the steps that bring a resolution onto a cluster."""

from __future__ import annotations

from typing import ClassVar

import attrs

from olmsolve.cluster.objects.conditions import condition_of
from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition, conditions_of, metadata_of
from olmsolve.fields import Fields, Raw


@attrs.frozen
class Step:
    """One object to create for the bundle *resolving* from the catalog *source*; *manifest* is the object as JSON text.

    *status* is ``Unknown``, ``NotPresent``, ``Present``, ``Created``, ... as OLM writes it.
    """

    resolving: str
    kind: str
    name: str
    group: str = ""
    version: str = ""
    manifest: str = attrs.field(default="", repr=False)
    source: str = ""
    source_namespace: str = ""
    status: str = ""


@attrs.frozen
class BundleLookup:
    """A bundle that OLM has yet to unpack from the image *path*; *properties* is the text of an annotation."""

    identifier: str
    path: str
    replaces: str = ""
    source: str = ""
    source_namespace: str = ""
    properties: str = attrs.field(default="", repr=False)
    conditions: tuple[Condition, ...] = ()


@attrs.frozen(kw_only=True)
class InstallPlan(ClusterObject):
    """The install plan of a namespace; *approval* is ``Automatic`` or ``Manual``, *phase* is as OLM writes it.

    *spec_generation* is ``spec.generation``, which counts the plans of the namespace (``metadata.generation``
    counts changes of the object).
    """

    KIND: ClassVar[str] = "InstallPlan"
    GROUP: ClassVar[str] = OLM_GROUP

    csv_names: tuple[str, ...] = ()
    approval: str = ""
    approved: bool = False
    spec_generation: int = 0
    phase: str = ""
    message: str = ""
    start_time: str = ""
    steps: tuple[Step, ...] = ()
    bundle_lookups: tuple[BundleLookup, ...] = ()
    catalog_sources: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    attenuated_service_account: Raw | None = attrs.field(default=None, repr=False)

    @property
    def why(self) -> str:
        """The reason for the plan's phase: its message, or the message of condition ``Installed``; "" if unknown.

        OLM writes a message into the status where a bundle cannot be unpacked, and into the condition where an object
        cannot be created.
        """
        installed = condition_of(self.conditions, "Installed")
        return self.message or (installed.message if installed is not None else "")


def install_plan_of(fields: Fields) -> InstallPlan:
    """Return the InstallPlan that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    account = "attenuatedServiceAccountRef"
    return InstallPlan(
        metadata=metadata_of(fields),
        raw=fields.values,
        csv_names=spec.texts("clusterServiceVersionNames"),
        approval=spec.text("approval"),
        approved=spec.flag("approved"),
        spec_generation=spec.integer("generation"),
        phase=status.text("phase"),
        message=status.text("message"),
        start_time=status.text("startTime"),
        steps=tuple(map(_step, status.parts("plan"))),
        bundle_lookups=tuple(map(_lookup, status.parts("bundleLookups"))),
        catalog_sources=status.texts("catalogSources"),
        conditions=conditions_of(status),
        attenuated_service_account=status.raw(account) if status.has(account) else None,
    )


def _step(fields: Fields) -> Step:
    resource = fields.part("resource")
    return Step(
        resolving=fields.text("resolving"),
        kind=resource.text("kind"),
        name=resource.text("name"),
        group=resource.text("group"),
        version=resource.text("version"),
        manifest=resource.text("manifest"),
        source=resource.text("sourceName"),
        source_namespace=resource.text("sourceNamespace"),
        status=fields.text("status"),
    )


def _lookup(fields: Fields) -> BundleLookup:
    reference = fields.part("catalogSourceRef")
    return BundleLookup(
        identifier=fields.text("identifier"),
        path=fields.text("path"),
        replaces=fields.text("replaces"),
        source=reference.text("name"),
        source_namespace=reference.text("namespace"),
        properties=fields.text("properties"),
        conditions=conditions_of(fields),
    )
