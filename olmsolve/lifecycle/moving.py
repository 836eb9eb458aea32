"""The move of one subscription to OLM v1: the objects to write, the commands in their order, and the way back.

Tried on a cluster with operator-controller of July 2026: a definition that classic OLM leaves behind refuses the new
extension until it has the label and the annotations of the extension's Helm release; then the controller takes it
over, and the objects of its kind stay. From there on it belongs to the extension, and is deleted with it, unless the
extension is deleted with ``--cascade=orphan``. The whole move and the way back were carried out once on a cluster with
both generations, three versions, and an object of the operator's kind, which stayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve import v1
from olmsolve._patterns import pattern
from olmsolve._records import Record, field, record
from olmsolve.classic import Request
from olmsolve.cluster import ClusterState
from olmsolve.cluster.extensions import BundleObject, bundle_objects, resource_of
from olmsolve.cluster.objects import (
    CatalogSource,
    ClusterCatalogObject,
    ClusterServiceVersion,
    Namespace,
    SubscriptionObject,
)
from olmsolve.errors import ManifestError
from olmsolve.lifecycle.migration import Migration, is_writable_channel

Manifest = Mapping[str, Any]

_V1: Final = "olm.operatorframework.io/v1"
_NAME_LABEL: Final = "olm.operatorframework.io/metadata.name"
_OWNER_KIND: Final = "olm.operatorframework.io/owner-kind"
_OWNER_NAME: Final = "olm.operatorframework.io/owner-name"
_MANAGED_BY: Final = "app.kubernetes.io/managed-by"
_RELEASE_NAME: Final = "meta.helm.sh/release-name"
_RELEASE_NAMESPACE: Final = "meta.helm.sh/release-namespace"
_PLAIN_NAME: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9.-]*")  # a name that a sentence can hold without quotes
_ON_ONE: Final = ("get", "update", "patch", "delete")
_ON_ALL: Final = ("create", "list", "watch")
_RBAC: Final = "rbac.authorization.k8s.io"
# Their names hold the hash of their rules, which the next version may change.
_NAMED_BY_HASH: Final = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
_OF_WEBHOOKS: Final = (
    ("admissionregistration.k8s.io", ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")),
    ("cert-manager.io", ("certificates", "issuers")),
    ("", ("services",)),
)


@record
class MoveStep(Record):
    """One step of a move: a title, its commands in their order, and what to know of it."""

    title: str = field("What the step does.")
    commands: tuple[str, ...] = field("The commands, in their order.")
    note: str = field("What to know of the step.", default="", empty="absent")


@record
class Move(Record):
    """The move of a *subscription* of *namespace* to the ClusterExtension *name*.

    *files* are the objects to apply, by the name of their file. *steps* lead to OLM v1, *back* leads back to classic.
    """

    subscription: str = field("The subscription.")
    namespace: str = field("Its namespace, where the extension installs.")
    name: str = field("The ClusterExtension in its place.")
    files: Mapping[str, tuple[Manifest, ...]] = field("The objects to apply, by file.")
    steps: tuple[MoveStep, ...] = field("The steps to OLM v1, in their order.")
    back: tuple[MoveStep, ...] = field("The way back to classic OLM, in its order.")


def move_to_v1(migration: Migration, request: Request, state: ClusterState | None = None) -> Move | None:
    """Return how the subscription of *migration* moves to OLM v1; None where it has nothing installed, or cannot move.

    *migration* is a part of the answer of :func:`olmsolve.lifecycle.migrations` to *request*. The objects of *state*
    give the catalog's image, the manual approval, and, where the catalog does not have them, what the operator needs.

    Raises:
        ManifestError: an object has a name that no cluster has; in a command it could be another command, and in a
            path another folder.
    """
    wish = next(
        (subscription for subscription in request.subscriptions if subscription.name == migration.subscription), None
    )
    if wish is None or not migration.pin or migration.request is None:
        return None
    state = ClusterState() if state is None else state
    extension = migration.request.extension
    namespace = wish.namespace or (request.namespaces[0] if request.namespaces else "")
    operator = state.get(ClusterServiceVersion, namespace, migration.installed)
    content = _content(migration, operator)
    crds = _crd_names(content)
    later = [later_content for step in migration.path if (later_content := _later_content(migration, step)) is not None]
    catalog = _catalog(state, wish.source_namespace, wish.source)
    name = extension.package
    files: dict[str, tuple[Manifest, ...]] = {}
    if isinstance(catalog, Mapping):
        files["catalog.yaml"] = (catalog,)
    files["rights.yaml"] = tuple(_rights(name, namespace, [content, *later]))
    chosen = catalog["metadata"]["name"] if isinstance(catalog, Mapping) else catalog
    bundles = (migration.installed, *(step.bundle for step in migration.path))
    awaited = (object_.name for object_ in _awaited(content, namespace))
    _refuse_odd_names(namespace, wish.name, name, *bundles, *crds, *awaited, *([chosen] if chosen else []))
    files["extension.yaml"] = (_extension(name, namespace, extension, migration.pin, chosen),)
    subscription = state.get(SubscriptionObject, namespace, wish.name)
    if subscription is not None and subscription.raw:
        files["back.yaml"] = (_subscription(subscription, migration.installed),)
    is_manual = subscription is not None and subscription.approval == "Manual"
    steps = (
        *_keeping(namespace, crds),
        *(_catalog_step(chosen) if isinstance(catalog, Mapping) else ()),
        _taking_away(migration, namespace, content),
        *_handing_over(name, namespace, crds),
        _installing(name, migration, knows_rights=bool(content.strategy)),
        *_opening(name, migration, later, wish.channel, is_manual=is_manual),
    )
    back = tuple(_back(name, namespace, crds, migration.installed, has_subscription="back.yaml" in files))
    return Move(wish.name, namespace, name, files, steps, back)


def _refuse_odd_names(*names: str) -> None:
    """Refuse names that Kubernetes would: catalogs and dumps are free to have others. Raises ManifestError."""
    for name in names:
        if v1.subdomain_faults(name):
            raise ManifestError(f"no object of Kubernetes can have the name {name!r}")


def _awaited(content: v1.BundleContent, namespace: str) -> Iterator[BundleObject]:
    """Yield the objects of the bundle whose end is waited for: what is still there would refuse the extension."""
    for object_ in bundle_objects(content, v1.InstallSettings(namespace=namespace)):
        if object_.kind in ("Deployment", "ServiceAccount"):
            yield object_


def _content(migration: Migration, operator: ClusterServiceVersion | None) -> v1.BundleContent:
    """Return the manifests of the installed bundle: the catalog's, else what the operator on the cluster says."""
    assert migration.request is not None
    bundle = v1.installed_bundle(migration.request)
    content = (
        v1.BundleContent(migration.installed, migration.package, None) if bundle is None else v1.bundle_content(bundle)
    )
    if content.manifests is not None or operator is None or not operator.raw:
        return content
    spec = operator.raw.get("spec")
    return v1.BundleContent(
        operator.name, migration.package, spec if isinstance(spec, Mapping) else None, (operator.raw,)
    )


def _later_content(migration: Migration, step: v1.PathStep) -> v1.BundleContent | None:
    """Return the manifests of the bundle of *step*, None where its catalog does not have them."""
    assert migration.request is not None
    for catalog in migration.request.catalogs:
        if catalog.name == step.catalog and catalog.catalog is not None:
            content = v1.bundle_content(catalog.catalog.packages[migration.package].bundles[step.bundle])
            return None if content.manifests is None else content
    return None


def _crd_names(content: v1.BundleContent) -> tuple[str, ...]:
    owned = (str(crd.get("name") or "") for crd in content.owned_crds)
    return tuple(sorted({name for name in (*content.crd_names, *owned) if name}))


def _catalog(state: ClusterState, namespace: str, name: str) -> Manifest | str:
    """Return the ClusterCatalog to write for a CatalogSource, the name of one that has its image, or ""."""
    source = state.get(CatalogSource, namespace, name) if name else None
    if source is None or not source.image:
        return ""
    for catalog in state.all(ClusterCatalogObject):
        if catalog.image == source.image:
            return catalog.name
    image = {"type": "Image", "image": {"ref": _with_tag(source.image)}}
    spec = {"source": image, **({"priority": source.priority} if source.priority else {})}
    return _object(_V1, "ClusterCatalog", {"name": source.name}, spec=spec)


def _object(api_version: str, kind: str, metadata: Manifest, **fields: object) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def _with_tag(image: str) -> str:
    """Return *image* with its tag or digest: no ClusterCatalog may leave out "latest", which a pull would take."""
    return image if "@" in image or ":" in image.rpartition("/")[2] else f"{image}:latest"


def _extension(name: str, namespace: str, wish: v1.Extension, pin: str, catalog: str) -> Manifest:
    source: dict[str, Any] = {"packageName": wish.package, "version": pin}
    if wish.channels:
        source["channels"] = list(wish.channels)
    if catalog:
        source["selector"] = {"matchLabels": {_NAME_LABEL: catalog}}
    spec = {
        "namespace": namespace,
        "serviceAccount": {"name": _account(name)},
        "source": {"sourceType": "Catalog", "catalog": source},
    }
    return _object(_V1, "ClusterExtension", {"name": name}, spec=spec)


def _account(name: str) -> str:
    return f"{name}-installer"


def _rights(name: str, namespace: str, contents: Sequence[v1.BundleContent]) -> Iterator[Manifest]:
    """Yield the namespace, and the account of the installer with all that it has to be allowed."""
    account = {"name": _account(name), "namespace": namespace}
    role = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": _account(name)}
    yield _object("v1", Namespace.KIND, {"name": namespace})
    yield _object("v1", "ServiceAccount", account)
    rules, subjects = list(_rules(name, namespace, contents)), [{"kind": "ServiceAccount", **account}]
    yield _object(f"{_RBAC}/v1", "ClusterRole", {"name": _account(name)}, rules=rules)
    yield _object(f"{_RBAC}/v1", "ClusterRoleBinding", {"name": _account(name)}, roleRef=role, subjects=subjects)


def _rules(name: str, namespace: str, contents: Sequence[v1.BundleContent]) -> Iterator[Manifest]:
    """Yield the rules of the installer: on its own finalizer, on each object of the bundles, and all that it hands on.

    *contents* are the manifests of the installed bundle and of the known ones on its way. Kubernetes lets nobody grant
    what he may not do himself, so the operator's own rules are the installer's, too.
    """
    yield _rule("olm.operatorframework.io", "clusterextensions/finalizers", ("update",), [name])
    named: dict[str, dict[str, None]] = {}
    groups: dict[str, str] = {}
    for content in contents:
        for manifest in bundle_objects(content, v1.InstallSettings(namespace=namespace)):
            named.setdefault(manifest.kind, {})[manifest.name] = None
        named.setdefault("CustomResourceDefinition", {}).update(dict.fromkeys(_crd_names(content)))
        groups.update((str(other.get("kind")), str(other.get("apiVersion") or "")) for other in content.others)
    for kind, names in named.items():
        if not names:
            continue
        group, resource = resource_of(kind, groups.get(kind, ""))
        yield _rule(group, resource, _ON_ALL)
        yield _rule(group, resource, _ON_ONE, () if kind in _NAMED_BY_HASH else sorted(names))
    if any(content.webhooks for content in contents):
        for group, resources in _OF_WEBHOOKS:
            for resource in resources:
                yield _rule(group, resource, (*_ON_ALL, *_ON_ONE))
    # An operator for all namespaces may look at them.
    yield _rule("", "namespaces", ("get", "list", "watch"))
    handed_on = [rule for content in contents for rule in _rules_of_operator(content)]
    # Each rule once, in its order; a rule is a mapping, which has no hash, and there are some dozens.
    yield from (rule for number, rule in enumerate(handed_on) if rule not in handed_on[:number])


def _rules_of_operator(content: v1.BundleContent) -> Iterator[Manifest]:
    """Yield what the operator of a bundle is allowed to do."""
    for kind in ("clusterPermissions", "permissions"):
        permissions = content.strategy.get(kind)
        for permission in permissions if isinstance(permissions, Sequence) else ():
            rules = permission.get("rules") if isinstance(permission, Mapping) else ()
            yield from (rule for rule in rules or () if isinstance(rule, Mapping))
    for manifest in content.others:
        if manifest.get("kind") in ("ClusterRole", "Role"):
            yield from (rule for rule in manifest.get("rules") or () if isinstance(rule, Mapping))


def _rule(group: str, resource: str, verbs: Sequence[str], names: Sequence[str] = ()) -> Manifest:
    only = {"resourceNames": list(names)} if names else {}
    return {"apiGroups": [group], "resources": [resource], **only, "verbs": list(verbs)}


def _subscription(subscription: SubscriptionObject, installed: str) -> Manifest:
    """Return the subscription as the way back writes it: classic OLM begins with what is installed."""
    spec = subscription.raw.get("spec")
    metadata = {"name": subscription.name, "namespace": subscription.namespace}
    spec = {**(spec if isinstance(spec, Mapping) else {}), "startingCSV": installed}
    return _object("operators.coreos.com/v1alpha1", "Subscription", metadata, spec=spec)


def _keeping(namespace: str, crds: tuple[str, ...]) -> Iterator[MoveStep]:
    kinds = "subscriptions,clusterserviceversions,operatorgroups,installplans,configmaps,secrets"
    saved = [f"kubectl get {kinds} -n {namespace} -o yaml > before.yaml"]
    if crds:
        saved.append(f"kubectl get crds {' '.join(crds)} -o yaml > definitions.yaml")
        saved.append(f"kubectl get {','.join(crds)} -A -o yaml > objects.yaml")
    yield MoveStep("Keep what is there", tuple(saved))


def _catalog_step(catalog: str) -> Iterator[MoveStep]:
    serving = f"kubectl wait --for=condition=Serving clustercatalog/{catalog} --timeout=5m"
    yield MoveStep("Let OLM v1 read the catalog", ("kubectl apply -f catalog.yaml", serving))


def _taking_away(migration: Migration, namespace: str, content: v1.BundleContent) -> MoveStep:
    commands = [
        f"kubectl delete subscriptions.operators.coreos.com {migration.subscription} -n {namespace}",
        f"kubectl delete clusterserviceversions {migration.installed} -n {namespace}",
    ]
    # The garbage collector needs a moment.
    going = [f"{object_.kind.lower()}/{object_.name}" for object_ in _awaited(content, namespace)]
    if going:
        commands.append(f"kubectl wait --for=delete {' '.join(going)} -n {namespace} --timeout=5m")
    note = "The operator stops until OLM v1 has installed it; its definitions and their objects stay."
    return MoveStep("Take classic OLM away", tuple(commands), note)


def _handing_over(name: str, namespace: str, crds: tuple[str, ...]) -> Iterator[MoveStep]:
    if not crds:
        return
    listed = " ".join(crds)
    owner = f"{_MANAGED_BY}=Helm {_OWNER_KIND}=ClusterExtension {_OWNER_NAME}={name}"
    yield MoveStep(
        "Hand the definitions over",
        (
            f"kubectl label crds {listed} --overwrite {owner}",
            f"kubectl annotate crds {listed} --overwrite {_RELEASE_NAME}={name} {_RELEASE_NAMESPACE}={namespace}",
        ),
        "Without it the controller says that they already exist and cannot be managed. From here on they belong to the"
        " extension: deleting it deletes them and all objects of their kinds, unless with --cascade=orphan. This is"
        " how Helm takes over; with the gate BoxcutterRuntime it was not tried.",
    )


def _installing(name: str, migration: Migration, *, knows_rights: bool) -> MoveStep:
    missing = (
        ""
        if knows_rights
        else (" Neither the catalog nor the objects have the operator's manifests, so the role lacks its own rights.")
    )
    return MoveStep(
        "Install the same bundle",
        (
            "kubectl apply -f rights.yaml",
            "kubectl apply -f extension.yaml",
            f"kubectl wait --for=condition=Installed clusterextension/{name} --timeout=5m",
            f"kubectl get clusterextension {name} -o jsonpath='{{.status.install.bundle.name}}'",
        ),
        f"It has to be {migration.installed}. The account and its role are for operator-controller before v1.11.0;"
        f" later ones ignore them and act by themselves.{missing}",
    )


def _opening(
    name: str, migration: Migration, later: Sequence[v1.BundleContent], channel: str, *, is_manual: bool
) -> Iterator[MoveStep]:
    if not migration.path:
        return
    commands = [_version_patch(name, step.version) for step in migration.path]
    remove = '[{"op": "remove", "path": "/spec/source/catalog/version"}]'
    let_go = f"kubectl patch clusterextension {name} --type=json -p '{remove}'"
    bundles = ", ".join(step.bundle for step in migration.path)
    note = f"In order, each after the one before is installed: {bundles}."
    if is_manual:
        note += " The subscription approved by hand, so keep the version: each change of it is an approval."
    keeps_channel = not channel or is_writable_channel(channel)
    if not keeps_channel:
        # A channel may have any name, one with markup included.
        shown = f"channel {channel}" if _PLAIN_NAME.fullmatch(channel) else "its channel"
        note += (
            f" No extension can name {shown}, so keep the version: without it OLM v1 takes the highest"
            " version of all channels."
        )
    unknown = len(migration.path) - len(later)
    if unknown:
        note += (
            " The role is for the bundles whose manifests are given; before operator-controller v1.11.0 the others"
            " may need more, and the controller then says what it may not do."
        )
    lets_go = () if is_manual or not keeps_channel else (let_go,)
    yield MoveStep("Open the range, step by step", (*commands, *lets_go), note)


def _version_patch(name: str, version: str) -> str:
    change = f'{{"spec": {{"source": {{"catalog": {{"version": "{version}"}}}}}}}}'
    return f"kubectl patch clusterextension {name} --type=merge -p '{change}'"


def _back(
    name: str, namespace: str, crds: tuple[str, ...], installed: str, *, has_subscription: bool
) -> Iterator[MoveStep]:
    label = f"-l {_OWNER_NAME}={name}"
    in_namespace = "deployments,services,serviceaccounts,configmaps,roles,rolebindings"
    of_cluster = "clusterroles,clusterrolebindings,validatingwebhookconfigurations,mutatingwebhookconfigurations"
    yield MoveStep(
        "Take the extension away, and keep the definitions",
        (
            f"kubectl delete clusterextension {name} --cascade=orphan",
            f"kubectl delete {in_namespace} -n {namespace} {label}",
            f"kubectl delete {of_cluster} {label}",
            f"kubectl delete secrets -A -l owner=operator-controller,name={name}",
            f"kubectl delete serviceaccount {_account(name)} -n {namespace}",
            f"kubectl delete clusterrole,clusterrolebinding {_account(name)}",
        ),
        "The secrets are the releases that the controller remembers: a later extension of this name would find them.",
    )
    if crds:
        listed = " ".join(crds)
        yield MoveStep(
            "Take the definitions back",
            (
                f"kubectl label crds {listed} {_MANAGED_BY}- {_OWNER_KIND}- {_OWNER_NAME}-",
                f"kubectl annotate crds {listed} {_RELEASE_NAME}- {_RELEASE_NAMESPACE}-",
            ),
        )
    if has_subscription:
        yield MoveStep(
            "Subscribe again",
            ("kubectl apply -f back.yaml",),
            f"It begins with {installed}, which was installed before the move. Once the range has been opened that is a"
            " downgrade, and the older definitions come back without the newer fields: then name the bundle that the"
            " extension had in startingCSV.",
        )


def move_text(move: Move) -> str:
    """Return the steps of *move* and the way back as Markdown, each with its commands."""
    lines = [f"# Move subscription {move.subscription} of namespace {move.namespace} to OLM v1", ""]
    lines += ["Upstream supports no migration: try it on a cluster that may break.", ""]
    for heading, steps in (("Move", move.steps), ("Way back", move.back)):
        lines += [f"## {heading}", ""]
        for number, step in enumerate(steps, start=1):
            lines += [f"{number}. {step.title}.{f' {step.note}' if step.note else ''}", "", "   ```bash"]
            lines += [f"   {command}" for command in step.commands]
            lines += ["   ```", ""]
    return "\n".join(lines)
