"""Install plans carried out: the objects of their steps, and stand-ins for bundles that only an image holds.

A bundle whose manifests are in the plan becomes exactly those objects. For another bundle, the catalog has the
properties, and perhaps ``olm.csv.metadata``: its operator is made from them, and its APIs become
CustomResourceDefinitions of the versions that it provides, without schemas. Objects of other kinds, such as roles,
change nothing that is simulated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest
from olmsolve.catalog.index import index_of
from olmsolve.cluster import (
    NOT_PRESENT,
    NOT_SATISFIED,
    PROPERTIES_ANNOTATION,
    REQUIREMENTS_NOT_MET,
    ClusterState,
    Definitions,
    PlanFailed,
    ProjectionError,
    annotation_to_properties,
    bundle_csv,
    installed_with,
)
from olmsolve.cluster.crds import missing_stored_version, missing_version_message
from olmsolve.cluster.install_plans import (
    ACCOUNT,
    GRANTING,
    INVALID_PLAN,
    STEP_DONE,
    is_installable,
    needs_definition,
    plan_rights,
    removed_in,
    step_refusal,
    transition,
)
from olmsolve.cluster.objects import (
    OLM_GROUP,
    BundleLookup,
    ClusterObject,
    ClusterServiceVersion,
    CrdDescription,
    CrdVersion,
    CustomResourceDefinition,
    InstallPlan,
    Metadata,
    RequirementStatus,
    Step,
    SubscriptionObject,
    read_manifest,
)
from olmsolve.cluster.operator_groups import EVERY_MODE, plan_refusal
from olmsolve.cluster.rbac import creation_of
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.predicates import GVK, Property, published
from olmsolve.semver import Version, reading_by

_RIGHTS: Final = frozenset((ACCOUNT, *GRANTING))
_KEPT: Final = (ClusterServiceVersion, CustomResourceDefinition, SubscriptionObject)


def plans_carried_out(
    state: ClusterState,
    namespaces: Iterable[str],
    contents: Mapping[str, Catalog | CatalogError],
    *,
    approve: bool = False,
    kubernetes: Version | None,
) -> tuple[ClusterState, list[PlanFailed]]:
    """Return *state* after every plan of *namespaces* that may be carried out, and the plans that failed.

    With *approve*, plans that wait for approval get it. With the version of *kubernetes*, a step fails whose API that
    version no longer serves.
    """
    failed: list[PlanFailed] = []
    for namespace in namespaces:
        plans = state.all(InstallPlan, namespace)
        refused = bool(plans) and plan_refusal(namespace, state) != ""
        for plan in checked(plans):
            if approve and plan.phase == "RequiresApproval" and not plan.approved:
                plan = evolve(plan, approved=True)
                state = state.having(plan)
            # OLM passes over a plan without steps; where it cannot tell the account, it begins no plan of the
            # namespace.
            if refused or not (plan.steps or plan.bundle_lookups):
                continue
            if plan.phase == "RequiresApproval":
                plan = transition(plan, now=plan.start_time)
            if plan.phase != "Installing":
                continue
            state, done = carried_out(plan, state, contents, kubernetes)
            if done.phase == "Failed":
                failed.append(PlanFailed(done.namespace, done.name, done.csv_names, done.message))
    return state, failed


def carried_out(
    plan: InstallPlan, state: ClusterState, contents: Mapping[str, Catalog | CatalogError], kubernetes: Version | None
) -> tuple[ClusterState, InstallPlan]:
    """Return *state* with the objects of the approved *plan*, and the plan itself: complete, or failed with a message.

    OLM takes step by step, ClusterServiceVersions first: what stands before the step that fails is there, and stays.
    """
    done: list[ClusterObject] = []
    taken = 0
    error = ""
    forbidden = False
    try:
        for bringing, item in _work(plan, state, contents, kubernetes):
            if item is None:
                taken += 1
            elif isinstance(item, CustomResourceDefinition):
                done.append(installed_with(_upgraded(item, state), plan.namespace, bringing))
            else:
                done.append(item)
    except (ManifestError, ProjectionError) as fault:
        error = str(fault)
        forbidden = isinstance(fault, _ForbiddenError)
        done += _left_with_their_owners(state, done)
        if forbidden:
            done = [_without_account(object_, plan, taken) for object_ in done]
    steps = tuple(
        evolve(step, status="Created") if position < taken else step for position, step in enumerate(plan.steps)
    )
    after = evolve(plan, steps=steps)
    if error:
        after = transition(after, now=plan.start_time, error=error, elapsed=1.0, timeout=0.0)
    else:
        after = transition(after, now=plan.start_time)
        done += _with_accounts(plan, state)
    return state.having(*done, after), after


class _ForbiddenError(ManifestError):
    """The account with which OLM carries out a plan may not take a step: OLM tries the step again and again."""

    def __str__(self) -> str:
        return self.reason


def _without_account(object_: ClusterObject, plan: InstallPlan, taken: int) -> ClusterObject:
    """Return *object_* after a plan whose step *taken* is forbidden: an operator lacks its account, or rights of it."""
    if not isinstance(object_, ClusterServiceVersion):
        return object_
    rights_steps = [step for step in plan.steps[taken:] if step.resolving == object_.name and step.kind in _RIGHTS]
    if not rights_steps:
        return object_
    lacking = [account.name for account in rights_steps if account.kind == ACCOUNT]
    if lacking:
        statuses = [RequirementStatus(ACCOUNT, name, NOT_PRESENT, "Service account does not exist") for name in lacking]
    else:
        accounts = (*object_.install.permissions, *object_.install.cluster_permissions)
        names = dict.fromkeys(account.service_account_name for account in accounts)
        message = "Policy rule not satisfied for service account"
        statuses = [RequirementStatus(ACCOUNT, name, NOT_SATISFIED, message) for name in names]
    return evolve(object_, phase="Pending", reason=REQUIREMENTS_NOT_MET, requirements=tuple(statuses))


def _with_accounts(plan: InstallPlan, state: ClusterState) -> Iterator[ClusterServiceVersion]:
    """Yield the operators of *plan*, all of whose steps are taken, that OLM had found without account or rights."""
    if not any(step.kind in _RIGHTS for step in plan.steps):
        return
    for name in plan.csv_names:
        csv = state.get(ClusterServiceVersion, plan.namespace, name)
        if csv is not None and any(requirement.kind == ACCOUNT for requirement in csv.requirements):
            kept = tuple(requirement for requirement in csv.requirements if requirement.kind != ACCOUNT)
            yield evolve(csv, requirements=kept)


def _work(
    plan: InstallPlan, state: ClusterState, contents: Mapping[str, Catalog | CatalogError], kubernetes: Version | None
) -> Iterator[tuple[str, ClusterObject | None]]:
    """Yield what OLM makes for *plan*, one after the other: the bundle that brings it, and the object."""
    yield from _of_steps(plan, state, kubernetes)
    yield from _of_lookups(plan, state, contents, kubernetes)


def _left_with_their_owners(state: ClusterState, done: Sequence[ClusterObject]) -> Iterator[CustomResourceDefinition]:
    """Yield the definitions of *state* that the operators in *done* own, and that no step has reached.

    A definition names the operators that it came with, so OLM knows that new ones have to wait for their step. A
    shortened dump may lack these names.
    """
    reached = {object_.name for object_ in done if isinstance(object_, CustomResourceDefinition)}
    for csv in done:
        for name in (crd.name for crd in csv.owned_crds) if isinstance(csv, ClusterServiceVersion) else ():
            crd = state.get(CustomResourceDefinition, "", name)
            if crd is None or name in reached:
                continue
            owners = [
                other.name
                for other in state.all(ClusterServiceVersion, csv.namespace)
                if not other.is_copied and any(owned.name == name for owned in other.owned_crds)
            ]
            yield installed_with(crd, csv.namespace, *owners)


def _of_steps(
    plan: InstallPlan, state: ClusterState, kubernetes: Version | None
) -> Iterator[tuple[str, ClusterObject | None]]:
    """Yield the objects of the steps of *plan* in their order, each with its bundle, and None after each step.

    Raises:
        ManifestError: OLM cannot carry out the step that comes next.
    """
    definitions = Definitions(state.all(CustomResourceDefinition))
    rights = plan_rights(plan.namespace, state)
    for step in checked(plan.steps, every=8):
        if rights is not None and step.status not in STEP_DONE:
            refused = step_refusal(step, plan.steps, rights, state)
            if refused:
                raise _ForbiddenError(refused)
        if not is_installable(step.kind):
            raise ManifestError(INVALID_PLAN, kind=step.kind, object=step.name)
        version = f"{step.group}/{step.version}"
        if needs_definition(step.kind) and not definitions.serves(step.group, step.kind):
            raise ManifestError(f"{version} {step.kind} is not on the cluster", kind=step.kind, object=step.name)
        _refuse_removed(version, step.kind, step.name, kubernetes)
        for object_ in _objects_in(step):
            # A simulation keeps the kinds that decide on operators; roles, services and the rest change nothing that it
            # looks at.
            if not isinstance(object_, _KEPT):
                continue
            if object_.NAMESPACED and object_.namespace != plan.namespace:
                object_ = evolve(object_, metadata=evolve(object_.metadata, namespace=plan.namespace))
            if object_.NAMESPACED and state.get(type(object_), plan.namespace, object_.name) is not None:
                # OLM changes only the annotations of an object that is there.
                continue
            if isinstance(object_, ClusterServiceVersion):
                object_ = _new(object_)
            elif isinstance(object_, SubscriptionObject):
                object_ = _generated(object_, plan)
            yield step.resolving, object_
        yield step.resolving, None


def _generated(subscription: SubscriptionObject, plan: InstallPlan) -> SubscriptionObject:
    """Return a *subscription* that the *plan* created: it waits for the plan and for its ``startingCSV``."""
    return evolve(
        subscription,
        current_csv=subscription.starting_csv,
        state="UpgradePending",
        install_plan=plan.name,
        install_plan_generation=plan.spec_generation,
    )


def _refuse_removed(version: str, kind: str, name: str, kubernetes: Version | None) -> None:
    """Raise ManifestError where *kubernetes* no longer serves *kind* in the API *version*: OLM cannot create it."""
    removed = removed_in(version, kind)
    if removed is not None and kubernetes is not None and kubernetes >= removed:
        reason = f"Kubernetes {removed.major}.{removed.minor} and later do not serve {version} {kind}"
        raise ManifestError(reason, kind=kind, object=name)


def _refuse_removed_objects(properties: Iterable[Property], are_definitions: bool, kubernetes: Version | None) -> None:
    """Raise ManifestError where *kubernetes* no longer serves a manifest in the *properties* of a bundle.

    OLM comes to definitions before it comes to other objects.
    """
    for property_ in properties if kubernetes is not None else ():
        manifest = object_manifest(property_.value) if property_.type == BUNDLE_OBJECT else None
        kind = str(manifest.get("kind")) if manifest is not None else ""
        if manifest is not None and (kind == CustomResourceDefinition.KIND) == are_definitions:
            about = manifest.get("metadata")
            name = str(about.get("name") or "") if isinstance(about, Mapping) else ""
            _refuse_removed(str(manifest.get("apiVersion")), kind, name, kubernetes)


def _objects_in(step: Step) -> Iterator[ClusterObject]:
    manifest = _json(step)
    if _is_reference(manifest):
        return
    # OLM writes generated subscriptions without apiVersion and kind.
    version = f"{step.group}/{step.version}" if step.group else step.version
    about = manifest.get("metadata")
    placed = {"namespace": "-", **about} if isinstance(about, dict) else about
    yield from read_manifest({"apiVersion": version, "kind": step.kind, **manifest, "metadata": placed})


def _json(step: Step) -> dict[str, Any]:
    """Return the manifest of *step* as data. Raises ManifestError where it is not a JSON object."""
    try:
        manifest = json.loads(step.manifest)
    except (ValueError, RecursionError):
        raise ManifestError("is not JSON", kind=step.kind, object=step.name, field="manifest") from None
    if not isinstance(manifest, dict):
        raise ManifestError("must be an object", kind=step.kind, object=step.name, field="manifest")
    return manifest


def _lookups(plan: InstallPlan) -> Iterator[BundleLookup]:
    """Yield the bundles of *plan* whose manifests it does not hold: still packed, or unpacked into a ConfigMap.

    Once OLM has unpacked a bundle, the manifest of each step is a reference to the ConfigMap, which also names the
    catalog, the operator that is replaced, and the properties.
    """
    yield from plan.bundle_lookups
    present = {lookup.identifier for lookup in plan.bundle_lookups}
    for step in checked(plan.steps, every=8):
        # The lookup of a bundle stays in the plan once its steps are there: it is one bundle, and not two.
        if step.kind != ClusterServiceVersion.KIND or step.name in present:
            continue
        manifest = _json(step)
        if _is_reference(manifest):
            yield BundleLookup(
                step.name,
                path="",
                replaces=str(manifest.get("replaces") or ""),
                source=str(manifest.get("catalogSourceName") or step.source),
                source_namespace=str(manifest.get("catalogSourceNamespace") or step.source_namespace),
                properties=str(manifest.get("properties") or ""),
            )


def _is_reference(manifest: Mapping[str, Any]) -> bool:
    """Return whether the *manifest* of a step names the ConfigMap with the object, instead of being the object."""
    return manifest.get("kind") == "ConfigMap" and "metadata" not in manifest


def _of_lookups(
    plan: InstallPlan, state: ClusterState, contents: Mapping[str, Catalog | CatalogError], kubernetes: Version | None
) -> Iterator[tuple[str, ClusterObject]]:
    rights = plan_rights(plan.namespace, state)
    for lookup in _lookups(plan):
        if not lookup.identifier or state.get(ClusterServiceVersion, plan.namespace, lookup.identifier) is not None:
            continue
        refused = "" if rights is None else rights.refusal(creation_of(ClusterServiceVersion.KIND, OLM_GROUP))
        if refused:
            raise _ForbiddenError(f"error creating {ClusterServiceVersion.KIND} {lookup.identifier}: {refused}")
        annotation = lookup.properties or "{}"
        properties = tuple(property_.property for property_ in annotation_to_properties(annotation))
        content = contents.get(f"{lookup.source_namespace}/{lookup.source}")
        with reading_by(content.scheme if isinstance(content, Catalog) else None):
            facts = published("", properties)
        stated = _properties_of(lookup, (package for package, _ in facts.packages), content)
        crds = state.all(CustomResourceDefinition)
        csv = bundle_csv(lookup.identifier, properties if stated is None else stated)
        if csv is None:
            owned = tuple(CrdDescription(_crd_name(gvk, crds), gvk.version, gvk.kind) for gvk in facts.gvks)
            # What it requires is no matter: an API that no definition serves may come from an API server.
            metadata = Metadata(lookup.identifier)
            csv = ClusterServiceVersion(metadata=metadata, owned_crds=owned, install_modes=EVERY_MODE)
        annotations = {**csv.metadata.annotations, PROPERTIES_ANNOTATION: annotation}
        new = _new(
            evolve(
                csv,
                metadata=Metadata(
                    lookup.identifier, plan.namespace, labels=csv.metadata.labels, annotations=annotations
                ),
                version=csv.version or str(facts.version or ""),
                replaces=lookup.replaces,
            )
        )
        yield lookup.identifier, new
        _refuse_removed_objects(stated or (), are_definitions=True, kubernetes=kubernetes)
        services = {(service.group, service.kind) for service in csv.owned_api_services}
        gvks = [gvk for gvk in facts.gvks if (gvk.group, gvk.kind) not in services]
        yield from ((lookup.identifier, crd) for crd in _crds(gvks, csv, crds))
        _refuse_removed_objects(stated or (), are_definitions=False, kubernetes=kubernetes)


def _new(csv: ClusterServiceVersion) -> ClusterServiceVersion:
    return evolve(csv, phase="", reason="", message="", conditions=())


def _properties_of(
    lookup: BundleLookup, likely_packages: Iterable[str], content: Catalog | CatalogError | None
) -> Sequence[Property] | None:
    """Return the properties of the bundle of *lookup*, None where *content* lacks it.

    *likely_packages* come first. An index has them, and the packages behind it stay unread.
    """
    if not isinstance(content, Catalog):
        return None
    name, packages = lookup.identifier, content.packages
    if getattr(packages, "is_read", True):
        near = (packages[package] for package in likely_packages if package in packages)
        bundles = (package.bundles[name] for package in (*near, *packages.values()) if name in package.bundles)
        bundle = next(bundles, None)
        return None if bundle is None else bundle.properties
    index = index_of(content)
    for package in dict.fromkeys((*(name for name in likely_packages if name in index), *index.package_names())):
        for channel in index.channel_names(package):
            for slot in index.named(index.channel(package, channel).all, name):
                return index.published(slot).properties
    return None


def _crd_name(gvk: GVK, crds: Sequence[CustomResourceDefinition]) -> str:
    """Return the name of the CRD for *gvk*: the cluster's, or else a guess from how plurals usually look."""
    present = next((crd.name for crd in crds if (crd.group, crd.resource_kind) == (gvk.group, gvk.kind)), "")
    return present or f"{gvk.kind.lower()}s.{gvk.group}"


def _crds(
    gvks: Sequence[GVK], csv: ClusterServiceVersion, crds: Sequence[CustomResourceDefinition]
) -> Iterator[CustomResourceDefinition]:
    crd_names = {(crd.name.partition(".")[2], crd.kind): crd.name for crd in csv.owned_crds}
    versions: dict[tuple[str, str], list[str]] = {}
    for gvk in gvks:
        versions.setdefault((gvk.group, gvk.kind), []).append(gvk.version)
    for (group, kind), names in versions.items():
        name = crd_names.get((group, kind)) or _crd_name(GVK(group, "", kind), crds)
        yield CustomResourceDefinition(
            metadata=Metadata(name),
            group=group,
            resource_kind=kind,
            plural=name.partition(".")[0],
            versions=tuple(CrdVersion(name, served=True, storage=False) for name in sorted(names)),
        )


def _upgraded(new: CustomResourceDefinition, state: ClusterState) -> CustomResourceDefinition:
    """Return the CRD *new* after it has replaced the one in *state*.

    Raises:
        ManifestError: objects are stored in a version that *new* lacks.
    """
    old = state.get(CustomResourceDefinition, "", new.name)
    if old is None:
        return new
    missing = missing_stored_version(old.stored_versions, (version.name for version in new.versions))
    if missing:
        raise ManifestError(missing_version_message(missing), kind=new.KIND, object=new.name)
    present = {version.name: version for version in old.versions}
    projected = not new.raw
    return evolve(
        new,
        metadata=old.metadata,
        scope=new.scope or old.scope,
        versions=tuple(present.get(version.name, version) if projected else version for version in new.versions),
        stored_versions=old.stored_versions,
    )
