"""OLM v1's upgrade check of CustomResourceDefinitions, as a check of what a request installs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._records import evolve
from olmsolve.catalog import Bundle
from olmsolve.cluster.crds import check_crd_upgrade
from olmsolve.cluster.objects import CustomResourceDefinition, read_manifest
from olmsolve.errors import ManifestError
from olmsolve.semver import quote


@attrs.frozen
class CrdUpgradesAreSafe:
    """The check that a bundle's definitions may replace *present*, the definitions of the cluster by name.

    *installed* is the bundle that is there. After an update the definitions of the bundle that it brought are there,
    with the stored versions from before. Bundles whose manifests the catalog does not have are not checked.
    """

    present: Mapping[str, CustomResourceDefinition]
    installed: str = ""

    def __call__(self, bundle: Bundle, request: v1.ExtensionRequest, /) -> v1.InstallationRefusal | None:
        installed = request.installed
        if not request.settings.crd_upgrade_safety or (installed is not None and installed.name == bundle.name):
            return None
        there = self.present if installed is None or installed.name == self.installed else self._after(request)
        return unsafe_definitions(there, bundle_definitions(bundle))

    def _after(self, request: v1.ExtensionRequest) -> Mapping[str, CustomResourceDefinition]:
        """Return the definitions once the installed bundle of *request* has brought its own."""
        there = dict(self.present)
        installed = v1.installed_bundle(request)
        for crd in () if installed is None else bundle_definitions(installed):
            before = self.present.get(crd.name)
            stored = () if before is None else before.stored_versions
            storage = tuple(version.name for version in crd.versions if version.storage)
            there[crd.name] = evolve(crd, stored_versions=tuple(dict.fromkeys((*stored, *storage))))
        return there


def unsafe_definitions(
    there: Mapping[str, CustomResourceDefinition], definitions: Iterable[CustomResourceDefinition]
) -> v1.InstallationRefusal | None:
    """Return why OLM v1 does not let *definitions* replace the ones that are *there*, by name; None where it does."""
    faults = []
    for crd in definitions:
        old = there.get(crd.name)
        changes = check_crd_upgrade(old, crd).faults if old is not None else ()
        if changes:
            change_text = "\n".join(map(str, changes))
            faults.append(f"validating upgrade for CRD {quote(crd.name)}: {change_text}")
    if not faults:
        return None
    note = (
        "the update changes a definition in a way that may break existing objects; a newer bundle has to"
        " correct it, or install.preflight.crdUpgradeSafety.enforcement: None allows it at your own risk"
    )
    return v1.InstallationRefusal(v1.InstallRule.CRD_UPGRADE, "\n".join(faults), note)


def bundle_definitions(bundle: Bundle) -> list[CustomResourceDefinition]:
    """Return the definitions in the manifests of *bundle*; one that cannot be read is left to the cluster."""
    definitions = []
    for manifest in v1.bundle_content(bundle).crds:
        try:
            definitions += [
                definition for definition in read_manifest(manifest) if isinstance(definition, CustomResourceDefinition)
            ]
        except ManifestError:
            continue
    return definitions
