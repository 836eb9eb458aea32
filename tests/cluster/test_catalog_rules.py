"""Rules about the catalogs of a cluster, in the cases that OLM's documentation describes."""

from __future__ import annotations

import pytest

from olmsolve import evolve
from olmsolve.cluster.catalogs import (
    IMAGE_TEMPLATE_ANNOTATION,
    NO_VALUES,
    DeprecationMessages,
    catalog_health,
    resolved_image,
    synced_image,
    template_values,
    visible_catalogs,
    visible_namespaces,
    with_catalog_health,
    with_deprecations,
)
from olmsolve.cluster.objects import (
    CatalogHealth,
    CatalogSource,
    Condition,
    Metadata,
    OperatorGroup,
    SubscriptionObject,
)

TEMPLATE = "quay.example.com/catalog:v{kube_major_version}.{kube_minor_version}"
KUBERNETES = template_values("v1.31.2")


def catalog(name: str = "community", namespace: str = "olm", *, template: str = "", image: str = "") -> CatalogSource:
    annotations = {IMAGE_TEMPLATE_ANNOTATION: template} if template else {}
    return CatalogSource(metadata=Metadata(name=name, namespace=namespace, annotations=annotations), image=image)


def by_type(conditions: tuple[Condition, ...]) -> dict[str, tuple[str, str]]:
    return {condition.type: (condition.status, condition.message) for condition in conditions}


# -- image templates


@pytest.mark.parametrize("image", ["", "quay.example.com/catalog:v1.30"])
def test_the_image_follows_the_cluster(image: str) -> None:
    """With and without an image in the specification: the template's is written over it."""
    synced = synced_image(catalog(template=TEMPLATE, image=image), KUBERNETES)
    assert synced.catalog.image == "quay.example.com/catalog:v1.31"
    assert synced.writes == "spec"
    assert by_type(synced.catalog.conditions) == {
        "TemplatesHaveResolved": ("True", "catalog image reference was successfully resolved"),
        "ResolvedImage": ("True", "quay.example.com/catalog:v1.31"),
    }


def test_a_second_look_changes_nothing() -> None:
    """Or the controller would write for ever."""
    first = synced_image(catalog(template=TEMPLATE), KUBERNETES)
    assert synced_image(first.catalog, KUBERNETES).writes == ""


@pytest.mark.parametrize(
    ("template", "values", "message"),
    [
        (TEMPLATE, NO_VALUES, 'variable(s) "{kube_major_version}", "{kube_minor_version}" could not be resolved'),
        ("quay.example.com/c:{unknown}", KUBERNETES, "one or more template(s) has improper syntax"),
        (
            "{kube_major_version}{",
            NO_VALUES,
            'variable(s) "{kube_major_version}" could not be resolved and one or more template(s) has improper syntax',
        ),
    ],
)
def test_what_does_not_resolve_leaves_the_image(template: str, values: dict[str, str], message: str) -> None:
    """The catalog goes on serving what it served, and a condition says why."""
    synced = synced_image(catalog(template=template, image="quay.example.com/old:1"), values)
    assert (synced.catalog.image, synced.writes) == ("quay.example.com/old:1", "status")
    expected = f"cannot construct catalog image reference, because {message}"
    assert by_type(synced.catalog.conditions)["TemplatesHaveResolved"] == ("False", expected)


def test_without_a_template_its_conditions_go() -> None:
    """Without a template, conditions about other matters stay."""
    other = Condition("Other", "True")
    with_template = synced_image(evolve(catalog(template=TEMPLATE), conditions=(other,)), KUBERNETES).catalog
    without = evolve(with_template, metadata=Metadata(name="community", namespace="olm"))
    synced = synced_image(without, KUBERNETES)
    assert (synced.catalog.conditions, synced.writes) == ((other,), "status")


@pytest.mark.parametrize(
    "version",
    [
        *("", "1.31", "v1.31.2.3", "1.031.2", f"1.{2**64}.0", "v1.31.x"),
        *("v1.31.2-", "v1.31.2-a..b", "v1.31.2-.a", "v1.31.2-01", "v1.31.2+", "v1.31.2+a..b"),
    ],
)
def test_what_is_no_full_version_changes_nothing(version: str) -> None:
    """Keep the former values where the server reports no version."""
    assert template_values(version, KUBERNETES) is KUBERNETES


@pytest.mark.parametrize("ending", ["", "-eks-036c24b", "-gke.100", "-0", "-rc.1+k3s1", "+001", "-01a.x-y"])
def test_providers_may_add_to_the_version(ending: str) -> None:
    """Ignore suffixes of providers; only a number in a pre-release must not begin with 0."""
    assert template_values(f"v1.30.7{ending}") == template_values("v1.30.7")


def test_templates_are_told_by_case() -> None:
    """Replace only exact templates, as recorded; other braces stay."""
    assert resolved_image("{KUBE_MAJOR_VERSION}{kube_major_version}", KUBERNETES).image == "{KUBE_MAJOR_VERSION}1"


# -- health


SUBSCRIPTION = SubscriptionObject(
    metadata=Metadata(name="s", namespace="ns"),
    package="p",
    channel="stable",
    source="community",
    source_namespace="olm",
    installed_csv="p.v1",
)
GOOD = CatalogHealth("community", "olm", healthy=True)
BAD = CatalogHealth("other", "olm", healthy=False)


def test_catalogs_of_the_namespace_and_global_ones_count() -> None:
    """A reason in the status, or silence, makes a catalog unhealthy."""
    failing = evolve(catalog("failing", "ns"), reason="SpecInvalidError")
    catalogs = [catalog(), failing, catalog("silent", "ns"), catalog("c", "elsewhere")]
    by_catalog = catalog_health(catalogs, "ns", "olm", lambda c: c.name != "silent")
    assert [(health.name, health.healthy) for health in by_catalog] == [
        ("failing", False),
        ("silent", False),
        ("community", True),
    ]


@pytest.mark.parametrize(
    ("health", "known", "reason", "message"),
    [
        ([], [], "NoCatalogSourcesFound", "dependency resolution requires at least one catalogsource"),
        ([GOOD], [GOOD], "AllCatalogSourcesHealthy", "all available catalogsources are healthy"),
        ([GOOD], [], "CatalogSourcesAdded", "all available catalogsources are healthy"),
        ([GOOD], [GOOD, BAD], "CatalogSourcesDeleted", "all available catalogsources are healthy"),
        ([BAD], [BAD], "UnhealthyCatalogSourceFound", "targeted catalogsource olm/community missing"),
        (
            [evolve(GOOD, healthy=False)],
            [GOOD],
            "CatalogSourcesUpdated",
            "targeted catalogsource olm/community unhealthy",
        ),
    ],
)
def test_the_condition_says_what_changed(
    health: list[CatalogHealth], known: list[CatalogHealth], reason: str, message: str
) -> None:
    """The number of catalogs first, then their health, then nothing."""
    update = with_catalog_health(evolve(SUBSCRIPTION, catalog_health=tuple(known)), health)
    (condition,) = update.subscription.conditions
    assert (condition.reason, condition.message) == (reason, message)
    assert (condition.status == "False") == update.healthy
    repeated = with_catalog_health(evolve(update.subscription, conditions=(condition,)), health)
    assert repeated.healthy == update.healthy


def test_the_same_health_is_no_news() -> None:
    """Write a condition once; its time stays while its status does."""
    first = with_catalog_health(evolve(SUBSCRIPTION, catalog_health=(GOOD,)), [GOOD]).subscription
    dated = evolve(first, conditions=(evolve(first.conditions[0], last_transition_time="noon"),))
    update = with_catalog_health(dated, [GOOD])
    assert not update.updated
    assert update.subscription == dated


# -- visibility


def group(hides: str | None) -> OperatorGroup:
    exclude = "olm.operatorframework.io/exclude-global-namespace-resolution"
    return OperatorGroup(metadata=Metadata(name="g", annotations={} if hides is None else {exclude: hides}))


@pytest.mark.parametrize(
    ("groups", "global_namespace", "seen"),
    [
        ([group(None)], "olm", ("shop", "olm")),
        ([group("true")], "olm", ("shop",)),
        ([group("True")], "olm", ("shop", "olm")),
        ([group("true"), group("true")], "olm", ("shop", "olm")),
        ([], "olm", ("shop", "olm")),
        ([group(None)], "shop", ("shop",)),
        ([group(None)], "", ("shop",)),
    ],
)
def test_global_catalogs_are_seen_unless_the_group_hides_them(
    groups: list[OperatorGroup], global_namespace: str, seen: tuple[str, ...]
) -> None:
    """Plans, requests and simulations must not disagree about what a namespace chooses from."""
    assert visible_namespaces("shop", groups, global_namespace) == seen


def test_the_words_that_stop_everything_name_the_catalog() -> None:
    """As OLM prints them in the condition of each subscription."""
    catalogs = visible_catalogs(
        [catalog("b"), catalog("a", "ns"), catalog("c", "x")], ["ns", "olm"], lambda c: c.name * 2
    )
    assert [(source.key, source.blocking) for source in catalogs] == [
        ("ns/a", "error using catalogsource ns/a: aa"),
        ("olm/b", "error using catalogsource olm/b: bb"),
    ]


def test_catalogs_that_cannot_be_listed_hide_the_others() -> None:
    """With catalogs that cannot be listed, no answer can be trusted."""
    (source,) = visible_catalogs([catalog()], ["olm", "ns"], lambda c: "", {"ns": "forbidden"})
    assert source.error == 'failed to list catalogsources for namespace "ns": forbidden'


# -- deprecation


def test_deprecations_are_told_one_by_one_and_together() -> None:
    """A deprecated channel counts only for a subscription that names it."""
    entries = [DeprecationMessages("p.v1", package="no more p", channel="use fast", bundle="has a flaw")]
    told_ = by_type(with_deprecations(SUBSCRIPTION, entries).conditions)
    assert told_ == {
        "PackageDeprecated": ("True", "no more p"),
        "ChannelDeprecated": ("True", "use fast"),
        "BundleDeprecated": ("True", "has a flaw"),
        "Deprecated": ("True", "no more p; use fast; has a flaw"),
    }
    anyone = with_deprecations(evolve(SUBSCRIPTION, channel=""), entries)
    assert "ChannelDeprecated" not in by_type(anyone.conditions)


def test_deprecations_that_are_lifted_go() -> None:
    """Remove all of them, the joint condition included."""
    deprecated = with_deprecations(SUBSCRIPTION, [DeprecationMessages("p.v1", bundle="has a flaw")])
    assert with_deprecations(deprecated, [DeprecationMessages("p.v1")]) == SUBSCRIPTION


@pytest.mark.parametrize("installed", ["", "p.v0"])
def test_what_is_not_in_the_catalog_says_nothing(installed: str) -> None:
    """Without an entry for the installed bundle, conditions neither come nor go."""
    old = evolve(SUBSCRIPTION, installed_csv=installed, conditions=(Condition("BundleDeprecated", "True"),))
    assert with_deprecations(old, [DeprecationMessages("p.v1", bundle="has a flaw")]) is old
