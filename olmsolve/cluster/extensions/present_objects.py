"""The checks of a bundle against the objects of a cluster: who owns them, and whether a definition may be replaced.

An extension does not install a bundle with an object that somebody else has. As recorded, ownership goes by kind,
namespace and name, so that one package may be installed twice where its bundles share nothing. An object that nobody
owns refuses as well: Helm takes over only objects that it has made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._records import evolve
from olmsolve.catalog import Bundle
from olmsolve.cluster.crds import check_crd_upgrade
from olmsolve.cluster.extensions.accounts import refusal_to_read
from olmsolve.cluster.extensions.object_names import BundleObject, bundle_objects, revision_phases
from olmsolve.cluster.objects import (
    ClusterExtension,
    ClusterServiceVersion,
    CustomResourceDefinition,
    OtherObject,
    read_manifest,
)
from olmsolve.cluster.rbac import Rights
from olmsolve.cluster.state import ClusterState
from olmsolve.errors import ManifestError
from olmsolve.semver import quote

OWNER_LABEL = "olm.operatorframework.io/owner-name"
"""The label of an object that names the ClusterExtension that it belongs to."""

_RELEASE = "meta.helm.sh/release-namespace"
_OWNING_KINDS = ("ClusterExtension", "ClusterObjectSet")
_CRD = "CustomResourceDefinition"
_REVISIONS = "BoxcutterRuntime"
_RBAC = "rbac.authorization.k8s.io/v1"
# The versions of the kinds that the controller writes itself; a bundle's own manifests have the others.
_API_VERSIONS = {
    _CRD: "apiextensions.k8s.io/v1",
    "ClusterRole": _RBAC,
    "ClusterRoleBinding": _RBAC,
    "Deployment": "apps/v1",
    "ServiceAccount": "v1",
}


@attrs.frozen
class ObjectsAreOwned:
    """The check that a bundle brings no object that somebody else has: *owners* in words, "" for nobody.

    *definitions* are the owners of definitions whose names are not known, by group and kind. The controller looks at
    one object after the other, for which its account needs *rights*; None where they are not known.
    """

    owners: Mapping[BundleObject, str]
    definitions: Mapping[tuple[str, str], str] = attrs.field(factory=dict)
    rights: Rights | None = None

    def __call__(self, bundle: Bundle, request: v1.ExtensionRequest, /) -> v1.InstallationRefusal | None:
        content = v1.bundle_content(bundle)
        phases = revision_phases(bundle_objects(content, request.settings))
        in_rollout = request.gates.is_on(_REVISIONS)
        objects = (
            [object_ for phase in phases for object_ in phase]
            if in_rollout
            else bundle_objects(content, request.settings)
        )
        unread = {} if self.rights is None else dict(refusal_to_read(self.rights, bundle, request))
        for object_ in objects:
            if object_ in unread:
                return unread[object_]
            if object_ in self.owners:
                phase = next(number for number, made in enumerate(phases) if object_ in made)
                return _refusal(
                    object_, self.owners[object_], _revision_message(object_, phase, content) if in_rollout else ""
                )
        # Of these definitions only group and kind are known, so it is unknown whether an object above is one of them.
        for group, kind, name in _named_definitions(content):
            owner = self.definitions.get((group, kind))
            if owner is not None:
                made = BundleObject(_CRD, "", name)
                return _refusal(made, owner, _revision_message(made, 1, content) if in_rollout else "")
        return None


def foreign_objects(state: ClusterState, extension: ClusterExtension) -> dict[BundleObject, str]:
    """Return the objects in *state* that are not *extension*'s, each with its owner ("" for nobody).

    Left out are objects whose owners are gone, extensions or operators: the garbage collector deletes them.
    """
    foreign = {
        made: owner
        for other in state.others
        if (owner := _owner_of_other(other, state, extension)) is not None
        for made in [BundleObject(other.kind, other.namespace, other.name)]
    }
    for csv in state.all(ClusterServiceVersion):
        for crd in () if csv.is_copied else csv.owned_crds:
            foreign[BundleObject(_CRD, "", crd.name)] = f"operator {csv.key} of classic OLM"
    for definition in state.all(CustomResourceDefinition):
        made = BundleObject(_CRD, "", definition.name)
        owner = definition.metadata.labels.get(OWNER_LABEL, "")
        if not owner:
            # A definition that an operator of classic OLM owns is noted above, and keeps that owner.
            foreign.setdefault(made, "")
        elif owner == extension.name:
            namespace = definition.metadata.annotations.get(_RELEASE, extension.install_namespace)
            if namespace != extension.install_namespace:
                foreign[made] = f"the release of this extension in namespace {namespace}"
        elif state.get(ClusterExtension, "", owner) is not None:
            foreign[made] = f"ClusterExtension {owner}"
        elif not any(owner.kind in _OWNING_KINDS for owner in definition.metadata.owner_references):
            foreign[made] = ""
    return foreign


def _owner_of_other(object_: OtherObject, state: ClusterState, extension: ClusterExtension) -> str | None:
    """Return the owner of an object in words, "" for nobody; None where it is *extension*'s, or about to be deleted."""
    owner = object_.metadata.labels.get(OWNER_LABEL, "")
    if owner == extension.name:
        return None
    if owner and state.get(ClusterExtension, "", owner) is not None:
        return f"ClusterExtension {owner}"
    for reference in object_.metadata.owner_references:
        if reference.kind in _OWNING_KINDS:
            return None
        if reference.kind == ClusterServiceVersion.KIND:
            there = state.get(ClusterServiceVersion, object_.namespace, reference.name)
            return None if there is None else f"operator {there.key} of classic OLM"
    return ""


def _named_definitions(content: v1.BundleContent) -> Iterator[tuple[str, str, str]]:
    for owned_crd in content.owned_crds:
        name, kind = owned_crd.get("name"), owned_crd.get("kind")
        if isinstance(name, str) and isinstance(kind, str):
            yield name.partition(".")[2], kind, name


def _revision_message(bundle_object: BundleObject, phase: int, content: v1.BundleContent) -> str:
    """Return the first lines of the message; the fields that differ, which follow, are not known."""
    api_versions = {str(other.get("kind")): str(other.get("apiVersion") or "v1") for other in content.others}
    version = _API_VERSIONS.get(bundle_object.kind) or api_versions.get(bundle_object.kind, "v1")
    object_ = f"{bundle_object.kind}.{version} {bundle_object.namespace}/{bundle_object.name}"
    return f'revision object collisions in phase {phase}\nObject {object_}\nAction: "Collision"'


def _refusal(object_: BundleObject, owner: str, of_revision: str) -> v1.InstallationRefusal:
    """Return the refusal of an object of *owner* ("": nobody), in the words *of_revision*, or else of a release."""
    message = of_revision or (
        f"failed to get release state using server-side dry-run: {object_.kind} '{object_.name}' already exists in"
        f" namespace '{object_.namespace}' and cannot be managed by operator-controller"
    )
    if owner:
        note = f"{owner} owns it, and has to give it up first"
    elif object_.kind != _CRD:
        note = (
            "nobody owns it, and the controller takes over only objects that it has made: delete it; or, without the"
            " gate BoxcutterRuntime, give it the labels and annotations of this extension's release"
        )
    else:
        # Tried on the real controller; deleting a definition takes its objects along, so it is no way out.
        note = (
            "nobody owns it, for example because classic OLM left it behind. Without the gate BoxcutterRuntime, the"
            " controller takes it over once it has the labels and annotations of this extension's release"
            " (docs/how-to/migrate-to-v1.md). Deleting a definition deletes all objects of its kind"
        )
    return v1.InstallationRefusal(v1.InstallRule.OWNERSHIP, message, note, in_rollout=bool(of_revision))


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
