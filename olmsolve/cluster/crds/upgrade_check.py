"""Both verdicts, of classic OLM and of OLM v1, on new CustomResourceDefinitions, for one or for many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.cluster.crds.classic_upgrade import ClassicVerdict, Resource, upgrade_step
from olmsolve.cluster.crds.v1_upgrade import SchemaChange, upgrade_faults
from olmsolve.cluster.objects import CustomResourceDefinition


@record(
    definition="crdUpgradeCheck",
    layout=("crd", "allowed", "classic", "allowed_by_v1", ...),
    groups={"v1": "What OLM v1 says."},
)
class UpgradeCheck(Record):
    """The verdicts of classic OLM and of OLM v1 when a definition replaces another."""

    crd: str = field("The definition.", path="name")
    classic: ClassicVerdict = field("What OLM classic says.")
    faults: tuple[SchemaChange, ...] = field("The changes that it refuses.", path="v1.faults", default=())
    notes: tuple[str, ...] = field("Which input was missing and what stood in for it, a sentence each.", default=())

    @property
    @documented("Whether both generations allow it.")
    def allowed(self) -> bool:
        return self.classic.allowed and self.allowed_by_v1

    @property
    @documented("Whether OLM v1 allows the new definition.", path="v1.allowed")
    def allowed_by_v1(self) -> bool:
        return not self.faults


def check_crd_upgrade(
    old: CustomResourceDefinition, new: CustomResourceDefinition, resources: Iterable[Resource] = ()
) -> UpgradeCheck:
    """Return both verdicts when *new* replaces *old* while *resources*, objects of its kind, exist.

    Where *old* lacks ``status.storedVersions`` (a cluster writes it, a manifest in a bundle has none), its storage
    version stands in.

    Raises:
        ManifestError: a schema nests too deep, or a part of it is not a schema.

    >>> import olmsolve
    >>> from olmsolve.cluster.objects import CustomResourceDefinition
    >>> states = [olmsolve.read_cluster(f"olmsolve/examples/crd/{name}.yaml") for name in ("old", "new")]
    >>> old, new = (state.all(CustomResourceDefinition)[0] for state in states)
    >>> olmsolve.check_crd_upgrade(old, new).faults[0].rule
    'existingFieldRemoval'
    """
    notes: tuple[str, ...] = ()
    if not old.stored_versions:
        stored = tuple(version.name for version in old.versions if version.storage)
        taken = ", ".join(stored) or "none"
        notes = (f"the old definition has no status.storedVersions; its storage version is taken: {taken}",)
        old = evolve(old, stored_versions=stored)
    return UpgradeCheck(new.name, upgrade_step(old, new, resources), upgrade_faults(old, new), notes)


def check_upgrades(
    old: Iterable[CustomResourceDefinition],
    new: Iterable[CustomResourceDefinition],
    resources: Sequence[Resource] = (),
) -> tuple[UpgradeCheck, ...]:
    """Return the verdicts on the definitions in *new* that replace one of *old* by name, in the order of *new*."""
    before = {crd.name: crd for crd in old}
    return tuple(check_crd_upgrade(before[crd.name], crd, resources) for crd in new if crd.name in before)
