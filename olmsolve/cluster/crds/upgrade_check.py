"""Both verdicts on new CustomResourceDefinitions, for whole files of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from olmsolve.cluster.crds.classic_upgrade import ClassicVerdict, Resource, upgrade_step
from olmsolve.cluster.crds.v1_upgrade import SchemaChange, upgrade_faults
from olmsolve.cluster.objects import CustomResourceDefinition

__all__ = ["UpgradeCheck", "check_upgrade", "check_upgrades"]


@attrs.frozen
class UpgradeCheck:
    """What classic OLM and OLM v1 say when one definition replaces another.

    *faults* is what OLM v1 refuses. *notes* say what was not given and what was taken in its place.
    """

    crd: str
    classic: ClassicVerdict
    faults: tuple[SchemaChange, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether both allow it."""
        return self.classic.allowed and not self.faults

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; docs/crd-upgrades.md says what it means."""
        return {
            "name": self.crd,
            "allowed": self.allowed,
            "classic": {
                "allowed": self.classic.allowed,
                "reason": self.classic.reason,
                "warning": self.classic.warning,
            },
            "v1": {
                "allowed": not self.faults,
                "faults": [
                    {"rule": item.rule, "versions": item.versions, "path": item.path, "reason": item.reason}
                    for item in self.faults
                ],
            },
            "notes": list(self.notes),
        }


def check_upgrade(
    old: CustomResourceDefinition, new: CustomResourceDefinition, resources: Iterable[Resource] = ()
) -> UpgradeCheck:
    """Both verdicts on *new* in the place of *old*, while *resources* exist.

    Where *old* does not say in which versions objects are stored (a manifest does not, a cluster does), its storage
    version is taken.

    Raises:
        ManifestError: a schema nests too deep, or is none.
    """
    notes: tuple[str, ...] = ()
    if not old.stored_versions:
        stored = tuple(version.name for version in old.versions if version.storage)
        taken = ", ".join(stored) or "none"
        notes = (f"the old definition has no status.storedVersions; its storage version is taken: {taken}",)
        old = attrs.evolve(old, stored_versions=stored)
    return UpgradeCheck(new.name, upgrade_step(old, new, resources), upgrade_faults(old, new), notes)


def check_upgrades(
    old: Iterable[CustomResourceDefinition],
    new: Iterable[CustomResourceDefinition],
    resources: Sequence[Resource] = (),
) -> tuple[UpgradeCheck, ...]:
    """The verdicts on those of *new* that are among *old* by name, in their order; the others replace nothing."""
    before = {crd.name: crd for crd in old}
    return tuple(check_upgrade(before[crd.name], crd, resources) for crd in new if crd.name in before)
