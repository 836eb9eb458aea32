"""Changes of objects: manifests that are applied to each cluster before it is simulated the second time.

They are applied as ``kubectl apply`` does for the kinds that people write. A change reaches a cluster that has its
namespace::

    the cluster has                   the change says            afterwards it has
    shop/ledger, channel stable,      shop/ledger,               shop/ledger, channel beta,
      status installedCSV ledger.v1     channel beta               status installedCSV ledger.v1
    nothing in lab                    lab/ledger                 nothing in lab: the change does not reach it
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from typing import Any, Final, TypeAlias

import attrs

from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterCatalogObject,
    ClusterExtension,
    ClusterObject,
    Namespace,
    OperatorGroup,
    SubscriptionObject,
)
from olmsolve.errors import ManifestError
from olmsolve.lifecycle.impact.forms import Identity, Manifest, identity_of, mapping
from olmsolve.requests import RequestSource, objects_in

ChangeSources: TypeAlias = Iterable[RequestSource]
"""Where changes of objects are read from: manifests, and files or folders with manifests."""

# The kinds that people write. OLM writes the others itself, and would not leave a change of them alone.
_KINDS: Final = (CatalogSource, ClusterCatalogObject, ClusterExtension, Namespace, OperatorGroup, SubscriptionObject)
_MARKS: Final = ("labels", "annotations")


@attrs.frozen
class ObjectChange:
    """A *manifest* to apply, without its status and without what a cluster adds, and the *identity* of its object."""

    identity: Identity
    manifest: Manifest = attrs.field(repr=False)

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return self.identity[1]

    @property
    def name(self) -> str:
        """The name of the object."""
        return self.identity[3]

    @property
    def namespace(self) -> str:
        """The namespace that a cluster needs for the change; "" for none."""
        return self.identity[2]

    def applied_to(self, present: Manifest) -> dict[str, Any]:
        """Return the object *present* on a cluster with the change applied.

        The spec is that of the change. Labels and annotations are added to those that are there, because others, such
        as OLM, write some as well. Everything else stays, above all the status.
        """
        metadata, given = dict(mapping(present.get("metadata"))), self.manifest["metadata"]
        for marks in _MARKS:
            if marks in given:
                metadata[marks] = {**mapping(metadata.get(marks)), **given[marks]}
        kept = {name: value for name, value in present.items() if name != "spec"}
        return {**kept, **self.manifest, "metadata": metadata}

    def to_text(self) -> str:
        """Return the manifest as one line of JSON: equal for equal changes."""
        return json.dumps(self.manifest, sort_keys=True, default=repr)


def read_changes(sources: ChangeSources) -> tuple[ObjectChange, ...]:
    """Return the changes in *sources*, Lists as their items.

    Raises:
        ManifestError: a source cannot be read or has no object, an object has not the shape of its kind, is of a kind
            that is not applied, lacks its namespace, or comes twice. The error names the file and the document.
    """
    changes: dict[Identity, ObjectChange] = {}
    for source in sources:
        count = len(changes)
        for made in objects_in(source):
            change = _change(made)
            if change.identity in changes:
                raise _refused(made, "is there twice", "a change of an object is given once")
            changes[change.identity] = change
        if len(changes) == count:
            name = str(source) if isinstance(source, str | PathLike) else ""
            raise ManifestError("has no object", source=name, hint="a change is at least one manifest")
    return tuple(changes.values())


def _change(made: ClusterObject) -> ObjectChange:
    """Return the change that the manifest of *made* is. Raises a ManifestError for kinds that are not applied."""
    if not isinstance(made, _KINDS):
        known = ", ".join(sorted(kind.KIND for kind in _KINDS))
        raise _refused(made, "is of a kind that no change applies", f"known: {known}")
    manifest = made.raw
    given = mapping(manifest.get("metadata"))
    namespace = {"namespace": made.namespace} if made.NAMESPACED else {}
    metadata = {"name": made.name, **namespace, **{marks: dict(given[marks]) for marks in _MARKS if given.get(marks)}}
    spec = {"spec": manifest["spec"]} if "spec" in manifest else {}
    written = {"apiVersion": manifest["apiVersion"], "kind": made.KIND, "metadata": metadata, **spec}
    return ObjectChange(identity_of(written), written)


def _refused(made: ClusterObject, reason: str, hint: str) -> ManifestError:
    name = f"{made.namespace}/{made.name}" if made.namespace else made.name
    kind = str(made.raw.get("kind") or made.KIND)
    source = "" if made.origin is None else str(made.origin)
    return ManifestError(reason, hint=hint, source=source, kind=kind, object=name)
