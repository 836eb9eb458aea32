"""Install plans carried out: the objects of their steps, and stand-ins for bundles that only an image holds.

A bundle whose manifests are in the plan becomes exactly those objects; :mod:`.stand_ins` makes the objects of another.
Objects of other kinds, such as roles, change nothing that is simulated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.cluster import (
    NOT_PRESENT,
    NOT_SATISFIED,
    REQUIREMENTS_NOT_MET,
    ClusterState,
    Definitions,
    PlanFailed,
    ProjectionError,
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
    step_refusal,
    transition,
)
from olmsolve.cluster.objects import (
    OLM_GROUP,
    ClusterObject,
    ClusterServiceVersion,
    CustomResourceDefinition,
    InstallPlan,
    RequirementStatus,
    Step,
    SubscriptionObject,
    read_manifest,
)
from olmsolve.cluster.operator_groups import plan_refusal
from olmsolve.cluster.rbac import creation_of
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.lifecycle.effects.stand_ins import (
    as_new,
    is_reference,
    lookups_of,
    refuse_removed,
    stand_ins,
    step_manifest,
)
from olmsolve.semver import Version

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
            # OLM passes over a plan without steps; where it cannot determine the account, it begins no plan of the
            # namespace.
            if refused or not (plan.steps or plan.bundle_lookups):
                continue
            if plan.phase == "RequiresApproval":
                plan = transition(plan, now=plan.start_time)
            if plan.phase != "Installing":
                continue
            state, followed = carried_out(plan, state, contents, kubernetes)
            if followed.phase == "Failed":
                failed.append(PlanFailed(followed.namespace, followed.name, followed.csv_names, followed.message))
    return state, failed


def carried_out(
    plan: InstallPlan, state: ClusterState, contents: Mapping[str, Catalog | CatalogError], kubernetes: Version | None
) -> tuple[ClusterState, InstallPlan]:
    """Return *state* with the objects of the approved *plan*, and the plan itself: complete, or failed with a message.

    OLM takes step by step, ClusterServiceVersions first: the objects of the steps before the one that fails exist, and
    stay.
    """
    objects: list[ClusterObject] = []
    taken = 0
    error = ""
    forbidden = False
    try:
        for bringing, item in _work(plan, state, contents, kubernetes):
            if item is None:
                taken += 1
            elif isinstance(item, CustomResourceDefinition):
                objects.append(installed_with(_upgraded(item, state), plan.namespace, bringing))
            else:
                objects.append(item)
    except (ManifestError, ProjectionError) as fault:
        error = str(fault)
        forbidden = isinstance(fault, _ForbiddenError)
        objects += _left_with_their_owners(state, objects)
        if forbidden:
            objects = [_without_account(object_, plan, taken) for object_ in objects]
    steps = tuple(
        evolve(step, status="Created") if position < taken else step for position, step in enumerate(plan.steps)
    )
    after = evolve(plan, steps=steps)
    if error:
        after = transition(after, now=plan.start_time, error=error, elapsed=1.0, timeout=0.0)
    else:
        after = transition(after, now=plan.start_time)
        objects += _with_accounts(plan, state)
    return state.having(*objects, after), after


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


def _left_with_their_owners(
    state: ClusterState, objects: Sequence[ClusterObject]
) -> Iterator[CustomResourceDefinition]:
    """Yield the definitions of *state* that the operators in *objects* own, and that no step has reached.

    A definition names the operators that it came with, so OLM knows that new ones have to wait for their step. A
    shortened dump may lack these names.
    """
    reached = {object_.name for object_ in objects if isinstance(object_, CustomResourceDefinition)}
    for csv in objects:
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
        refuse_removed(version, step.kind, step.name, kubernetes)
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
                object_ = as_new(object_)
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


def _objects_in(step: Step) -> Iterator[ClusterObject]:
    manifest = step_manifest(step)
    if is_reference(manifest):
        return
    # OLM writes generated subscriptions without apiVersion and kind.
    version = f"{step.group}/{step.version}" if step.group else step.version
    about = manifest.get("metadata")
    placed = {"namespace": "-", **about} if isinstance(about, dict) else about
    yield from read_manifest({"apiVersion": version, "kind": step.kind, **manifest, "metadata": placed})


def _of_lookups(
    plan: InstallPlan, state: ClusterState, contents: Mapping[str, Catalog | CatalogError], kubernetes: Version | None
) -> Iterator[tuple[str, ClusterObject]]:
    rights = plan_rights(plan.namespace, state)
    for lookup in lookups_of(plan):
        if not lookup.identifier or state.get(ClusterServiceVersion, plan.namespace, lookup.identifier) is not None:
            continue
        refused = "" if rights is None else rights.refusal(creation_of(ClusterServiceVersion.KIND, OLM_GROUP))
        if refused:
            raise _ForbiddenError(f"error creating {ClusterServiceVersion.KIND} {lookup.identifier}: {refused}")
        content = contents.get(f"{lookup.source_namespace}/{lookup.source}")
        for object_ in stand_ins(lookup, plan.namespace, content, state.all(CustomResourceDefinition), kubernetes):
            yield lookup.identifier, object_


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
