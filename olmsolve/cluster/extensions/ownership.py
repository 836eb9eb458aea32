"""The owner of each object: an extension does not install a bundle with an object that somebody else has.

As recorded, ownership goes by kind, namespace and name, so that one package may be installed twice where its bundles
share nothing. An object that nobody owns refuses as well: Helm takes over nothing that it has not made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from olmsolve import v1
from olmsolve.catalog import Bundle
from olmsolve.cluster.extensions.object_names import BundleObject, bundle_objects
from olmsolve.cluster.objects import ClusterExtension, ClusterServiceVersion, CustomResourceDefinition
from olmsolve.cluster.state import ClusterState

OWNER_LABEL = "olm.operatorframework.io/owner-name"
"""The label of an object that names the ClusterExtension that it belongs to."""

_RELEASE = "meta.helm.sh/release-namespace"
_OWNING_KINDS = ("ClusterExtension", "ClusterObjectSet")
_CRD = "CustomResourceDefinition"


@attrs.frozen
class ObjectsAreOwned:
    """The check that a bundle brings no object that somebody else has: *owners* in words, "" for nobody.

    *definitions* are the owners of definitions whose names are not known, by group and kind.
    """

    owners: Mapping[BundleObject, str]
    definitions: Mapping[tuple[str, str], str] = attrs.field(factory=dict)

    def __call__(self, bundle: Bundle, request: v1.ExtensionRequest, /) -> v1.InstallationRefusal | None:
        content = v1.bundle_content(bundle)
        for each in bundle_objects(content, request.settings):
            if each in self.owners:
                return _refusal(each, self.owners[each], request)
        for group, kind, name in _named_definitions(content):
            owner = self.definitions.get((group, kind))
            if owner is not None:
                return _refusal(BundleObject(_CRD, "", name), owner, request)
        return None


def foreign_definitions(state: ClusterState, extension: ClusterExtension) -> dict[BundleObject, str]:
    """Return the definitions of APIs in *state* that are not *extension*'s, each with its owner ("" for nobody).

    Left out are definitions of extensions that are gone: the garbage collector deletes them.
    """
    found: dict[BundleObject, str] = {}
    for csv in state.all(ClusterServiceVersion):
        for crd in () if csv.is_copied else csv.owned_crds:
            found[BundleObject(_CRD, "", crd.name)] = f"operator {csv.key} of classic OLM"
    for definition in state.all(CustomResourceDefinition):
        made = BundleObject(_CRD, "", definition.name)
        owner = definition.metadata.labels.get(OWNER_LABEL, "")
        if not owner:
            found.setdefault(made, "")
        elif owner == extension.name:
            namespace = definition.metadata.annotations.get(_RELEASE, extension.install_namespace)
            if namespace != extension.install_namespace:
                found[made] = f"the release of this extension in namespace {namespace}"
        elif state.get(ClusterExtension, "", owner) is not None:
            found[made] = f"ClusterExtension {owner}"
        elif not any(each.kind in _OWNING_KINDS for each in definition.metadata.owner_references):
            found[made] = ""
    return found


def _named_definitions(content: v1.BundleContent) -> Iterator[tuple[str, str, str]]:
    for each in content.owned_crds:
        name, kind = each.get("name"), each.get("kind")
        if isinstance(name, str) and isinstance(kind, str):
            yield name.partition(".")[2], kind, name


def _refusal(each: BundleObject, owner: str, request: v1.ExtensionRequest) -> v1.InstallationRefusal:
    in_rollout = request.gates.is_on("BoxcutterRuntime")
    if in_rollout:
        version = "v1" if each.kind == _CRD else ""
        group = "apiextensions.k8s.io/v1" if version else each.kind
        message = (
            f"revision object collisions in phase 1\nObject {each.kind}.{group} {each.namespace}/{each.name}\n"
            'Action: "Collision"'
        )
    else:
        message = (
            f"failed to get release state using server-side dry-run: {each.kind} '{each.name}' already exists in"
            f" namespace '{each.namespace}' and cannot be managed by operator-controller"
        )
    if owner:
        note = f"{owner} has it, and an object belongs to one owner; the other has to give it up first"
    else:
        # Tried on the real controller; deleting a definition takes its objects along, so it is no way out.
        note = (
            "nobody owns it, as after classic OLM, which leaves definitions behind; without the gate BoxcutterRuntime"
            " the controller takes it over once it has the labels and annotations of this extension's release"
            " (docs/how-to/migrate-to-v1.md). A definition that is deleted takes all objects of its kind along"
        )
    return v1.InstallationRefusal(v1.InstallRule.OWNERSHIP, message, note, in_rollout=in_rollout)
