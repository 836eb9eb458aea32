"""The situation that the options of a command describe: documents, flags, or a cluster's objects, under one policy."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import olmsolve
from olmsolve._paths import is_there
from olmsolve._patterns import pattern
from olmsolve.cli.catalogs import CATALOG_NAMESPACE, catalog_path, catalog_sources, content_paths, load, wished_catalogs
from olmsolve.cli.output import complain
from olmsolve.semver import reading_by

TARGET_NAMESPACE: Final = "operators"

_SUBSCRIPTION: Final = pattern(r"(?P<package>[^@=:]+)(@(?P<channel>[^=]+))?(=(?P<starting>.+))?")
# Comparing a name takes some microseconds, and catalogs may have any number of bundles.
_NAMES_COMPARED: Final = 20_000

EXTENSIONS_ONLY: Final = ("manifests", "feature_gates", "extension")
"""The options of a situation that only extensions of OLM v1 look at."""

RESOLVING: Final = (
    "semantics",
    "operator_groups",
    "kubernetes",
    "openshift",
    "feature_gates",
    "unreadable",
    "global_namespace",
)
"""The options of a situation that only resolving looks at: nothing else depends on constraints and eligibility."""
# Options that cannot matter for a request document.
_OF_OBJECTS: Final = ("operator_groups", "global_namespace")

# Options that cannot matter for a cluster extension, and why.
_CLASSIC_ONLY: Final = {
    "backend": "OLM v1 has no dependencies to solve",
    "semantics": "OLM v1 has no dependencies to solve",
    "operator_groups": "OLM v1 has no operator groups",
    "unreadable": "OLM v1 resolves over the catalogs that a cluster has",
    "global_namespace": "every extension sees all ClusterCatalogs",
}


def situation_of(options: argparse.Namespace) -> olmsolve.Situation:
    """Return the situation that *options* describe, with the questions that they choose.

    Raises:
        OlmsolveError: a document or the objects cannot be read, or contradict each other.
    """
    wishes = given_among(options, ("subscriptions", "installed"))
    files = [*([] if options.document is None else [options.document]), *options.cluster]
    if not (files or wishes) and _is_plugin():
        files = ["live"]
    if files and wishes:
        named = [*given_among(options, ("cluster",))]
        if options.document is not None:
            # Who means something else by it sees what it was taken for.
            named.insert(0, f"the request document {options.document}")
        options.refuse(f"{' and '.join((*named, *wishes))} exclude each other")
    if files:
        return situation_from(options, files, options.catalogs)
    if getattr(options, "needs_objects", False) and not (wishes and options.catalogs):
        options.refuse("a cluster's objects are needed: --cluster FILE, as kubectl get -o yaml prints them")
    catalogs = wished_catalogs(options)
    if not wishes:
        if given_among(options, ("extension",)):
            options.refuse(
                "--extension chooses from a request document or from the objects of --cluster: neither is given"
            )
        catalog = "--catalog and " if not options.catalogs else ""
        needed = f"a request document is needed, or {catalog}--subscribe, or --cluster"
        options.refuse(f"--catalog alone is not a question: {needed}" if options.catalogs else needed)
    if not catalogs:
        given = " and ".join(wishes)
        options.refuse(
            f"{given} without --catalog, which has the bundles; or a request document is needed, or --cluster"
        )
    refuse_idle(options, _OF_OBJECTS, "it is about a cluster's objects, and a request has none")
    return _chosen(options, olmsolve.Situation.of(_request_of_options(options, catalogs), policy_of(options)))


def _is_plugin() -> bool:
    """Return whether kubectl has started this program (``kubectl olmsolve``): it is about the cluster at hand."""
    return Path(sys.argv[0]).stem in ("kubectl-olmsolve", "kubectl_olmsolve")


def refuse_document_for(options: argparse.Namespace, name: str) -> None:
    """Print the usage and end if the request document was typed in the place of the argument *name*."""
    value: str = getattr(options, name)
    if options.document is None and not options.cluster and is_there(value):
        options.refuse(f"{options.typed_as(name)} is missing after the request document {value}")


def given_among(options: argparse.Namespace, names: Iterable[str]) -> list[str]:
    """Return the options that are given among *names*, the names of their values, as they are typed.

    Values from the project file do not count: nobody typed them.
    """
    filled = getattr(options, "from_project", ())
    return [options.typed_as(name) for name in names if getattr(options, name, None) and name not in filled]


def situation_from(options: argparse.Namespace, files: Iterable[str], catalogs: Iterable[str]) -> olmsolve.Situation:
    """Return the situation in *files* ("-" is standard input) with these *catalogs*, as *options* choose from it.

    Raises:
        OlmsolveError: a document or the objects cannot be read, or contradict each other.
    """
    files = list(files)
    if "" in files:
        # Python takes an empty path for the working folder, and everything in it would be read.
        options.refuse("the name of a file is empty; is a variable of the shell unset?")
    if files.count("-") > 1:
        options.refuse("standard input (-) can be read once only")
    sources: list[olmsolve.requests.RequestSource] = []
    contents: dict[str, Any] = {}
    if (project := getattr(options, "project", None)) is not None:
        contents.update(project.contents())
    unread: list[olmsolve.RequestError] = []
    reader = _catalog_reader(options)
    for file in files:
        if olmsolve.requests.is_live(file):
            live = olmsolve.requests.live_cluster(file, reader, namespace=options.namespace)
            sources.append(live.document)
            contents.update(live.contents)
            unread += live.left_out
        else:
            sources.append(sys.stdin.buffer if file == "-" else file)
    contents.update(content_paths(catalogs))
    situation = olmsolve.read_situation(*sources, catalogs=contents, policy=policy_of(options), load=reader)
    for fault in (*situation.left_out, *unread):
        complain(f"left out, so its objects are missing from the answer: {fault}")
    return _chosen(options, situation)


def _catalog_reader(options: argparse.Namespace) -> Callable[[str | os.PathLike[str]], olmsolve.Catalog]:
    """Return the function that loads a catalog: with the manifests of the bundles that *options* name.

    Raises:
        CatalogError: the manifests of a bundle cannot be read.
    """
    paths = getattr(options, "manifests", ())
    if not paths:
        return load
    from olmsolve.catalog.fbc import with_manifests

    bundles = [olmsolve.fbc.read_bundle(path, with_objects=True) for path in paths]
    return lambda path: with_manifests(load(path), bundles)


def _chosen(options: argparse.Namespace, situation: olmsolve.Situation) -> olmsolve.Situation:
    """Return *situation* with the questions that *options* choose, once none of its options is idle."""
    chosen = situation.only(namespace=options.namespace, extension=options.extension)
    if getattr(options, "output", "") == "text":
        _note_missing_kinds(chosen, reads_catalogs=getattr(options, "reads_catalogs", True))
    if any(
        question.is_document and isinstance(question, olmsolve.requests.ClassicQuestion)
        for question in chosen.questions
    ):
        refuse_idle(options, _OF_OBJECTS, "it is about a cluster's objects, and a request document has none")
    is_classic = not any(isinstance(question, olmsolve.requests.ExtensionQuestion) for question in chosen.questions)
    if chosen.questions and is_classic and getattr(options, "feature_gates", None):
        options.refuse("--feature-gates is for extensions: classic OLM has no such gates")
    if chosen.questions and is_classic and getattr(options, "manifests", None):
        options.refuse("--manifests is for extensions: classic OLM is not held to the manifests of bundles")
    for name, reason in _CLASSIC_ONLY.items() if chosen.questions else ():
        is_idle = not any(isinstance(question, olmsolve.requests.ClassicQuestion) for question in chosen.questions)
        if is_idle and given_among(options, (name,)):
            options.refuse(f"--{name.replace('_', '-')} is for subscriptions: {reason}")
    return chosen


def _note_missing_kinds(situation: olmsolve.Situation, *, reads_catalogs: bool) -> None:
    """Tell which kinds without which OLM resolves nothing are missing from all of a cluster's objects.

    Catalogs count only where the command *reads_catalogs*. This is for people. Every cluster with subscriptions has
    these kinds: mostly ``kubectl get`` was not asked for them.
    """
    if situation.cluster is None or not situation.cluster.namespaces:
        return
    kinds = olmsolve.cluster.objects
    state = situation.cluster.state
    there = {
        "OperatorGroup": bool(state.all(kinds.OperatorGroup)),
        "CatalogSource": bool(state.all(kinds.CatalogSource)) or not reads_catalogs,
    }
    missing = [name for name, objects in there.items() if not objects]
    if missing:
        plural_kinds = ",".join(f"{name.lower()}s" for name in missing)
        complain(f"--cluster: no {' and no '.join(missing)} at all; kubectl get {plural_kinds} -A -o yaml prints them")


def policy_of(options: argparse.Namespace) -> olmsolve.Policy:
    """Return the policy that *options* set; a command that lacks an option leaves that part to its default."""
    given = {
        "semantics": "semantics",
        "global_namespace": "global_namespace",
        "health_policy": "unreadable",
        "operator_groups": "operator_groups",
        "kubernetes": "kubernetes",
        "openshift": "openshift",
    }
    try:
        parts = {part: getattr(options, name) for part, name in given.items() if hasattr(options, name)}
        if given_gates := getattr(options, "feature_gates", None):
            parts["feature_gates"] = _feature_gates(given_gates)
        if getattr(options, "house_rules", None):
            parts["house_rules"] = olmsolve.requests.read_house_rules(options.house_rules)
        return olmsolve.Policy(**parts)
    except olmsolve.RequestError as error:
        part, _, value = error.field.partition(" ")
        if part.startswith("feature_gates."):
            gate = part.partition(".")[2]
            raise olmsolve.RequestError(error.reason, f"--feature-gates {gate}", error.hint) from None
        if part not in given:
            raise
        option = f"--{given[part].replace('_', '-')} {value}".rstrip()
        raise olmsolve.RequestError(error.reason, option, error.hint) from None


def _feature_gates(text: str) -> dict[str, bool]:
    """Return the gates in *text*, ``NAME=true`` with commas between them. Raises RequestError."""
    gates = {}
    for setting in text.split(","):
        name, _, value = setting.strip().partition("=")
        if value.lower() not in ("true", "false"):
            example = "for example SingleOwnNamespaceInstallSupport=true"
            raise olmsolve.RequestError("is not of the form GATE=true", f"--feature-gates {setting.strip()}", example)
        gates[name] = value.lower() == "true"
    return gates


def refuse_idle(options: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """End with the usage and *reason* where one of the options *names* is given, which cannot matter."""
    if given := given_among(options, names):
        options.refuse(f"{' and '.join(given)} cannot matter: {reason}")


def take_package(options: argparse.Namespace) -> None:
    """Give *options* the catalog and the package that they name, in whichever form: CATALOG PACKAGE, or --catalog too::

    path catalogs/orchard storefront                    path --catalog orchard=catalogs/orchard storefront
    """
    words = [text for text in (options.document, options.package) if text is not None]
    others = options.cluster or options.subscriptions or options.installed
    if len(words) == 1 and not others and _is_name(words[0]):
        catalogs = wished_catalogs(options)
        if len(catalogs) == 1:
            options.document, options.package, options.catalogs = catalogs[0], words[0], []
    if options.package is not None:
        options.document = catalog_path(options.document)


def _is_name(text: str) -> bool:
    """Return whether *text* can be the name of a package, and is no path of a document."""
    return not (is_there(text) or text == "-" or "/" in text or Path(text).suffix in (".yaml", ".yml", ".json"))


def refuse_situation(options: argparse.Namespace) -> None:
    """End with the usage if an option describes a situation: CATALOG and PACKAGE exclude such options."""
    if given := given_among(options, ("cluster", "catalogs", "subscriptions", "installed")):
        both = f"the catalog {options.document} and the package {options.package}"
        options.refuse(
            f"CATALOG and PACKAGE exclude other requests: {both} were given together with {' and '.join(given)}"
        )


def cluster_of(situation: olmsolve.Situation, verb: str) -> olmsolve.requests.ClusterSituation:
    """Return the cluster of *situation*. Raises RequestError where there is none: *verb* needs its objects."""
    if situation.cluster is None:
        raise olmsolve.requests.needs_objects(verb)
    return situation.cluster


def hindrances_of(
    question: olmsolve.requests.Question, situation: olmsolve.Situation, outcome: object
) -> tuple[olmsolve.cluster.Hindrance, ...]:
    """Return the hindrances that hold *question* back: none for documents and extensions.

    They come from the objects of the cluster, and from *outcome* if it is a plan that OLM does not carry out.
    """
    is_classic = isinstance(question, olmsolve.requests.ClassicQuestion)
    if situation.cluster is None or question.is_document or not is_classic:
        return ()
    said = situation.cluster.hindrances(question.name)
    resolution = outcome if isinstance(outcome, olmsolve.Resolution) else None
    more = olmsolve.lifecycle.planning.answer_hindrances(situation.cluster, resolution, question.name, said)
    return (*said, *more)


def only_question(options: argparse.Namespace) -> olmsolve.requests.Question:
    """Return the only question of *options*. Raises RequestError where there are several, or none."""
    situation = situation_of(options)
    if len(situation.questions) != 1:
        names = ", ".join(question.name for question in situation.questions[:10])
        if not names:
            raise olmsolve.RequestError("no subscriptions and no extensions", hint="there is nothing to ask")
        several = any(not question.is_document for question in situation.questions)
        raise olmsolve.RequestError(
            f"one question is needed, not {len(situation.questions)}: {names}",
            hint="--namespace or --extension chooses one" if several else "give one document",
        )
    return situation.questions[0]


def only_classic_question(
    options: argparse.Namespace, what: str
) -> tuple[olmsolve.requests.ClassicQuestion, olmsolve.Request]:
    """Return the only question of *options* and its request; *what* is made of it, such as "certificates".

    Raises:
        RequestError: there are several questions or none, or the question is for OLM v1.
    """
    question = only_question(options)
    if not isinstance(question, olmsolve.requests.ClassicQuestion):
        raise olmsolve.RequestError(
            f"{what} are for subscriptions: OLM v1 resolves without a search",
            hint="olmsolve why says why OLM v1 takes its bundle",
        )
    return question, question.request()


def search_settings(options: argparse.Namespace, semantics: olmsolve.Semantics) -> dict[str, Any]:
    """Return the keywords of :func:`olmsolve.resolve` that *options* set: *semantics* and the backend."""
    return {"semantics": semantics, "backend": backend_of(options)}


def backend_of(options: argparse.Namespace) -> str:
    """Return the name of the backend that *options* choose."""
    from olmsolve.solver.backends import DEFAULT

    chosen: str | None = options.backend
    return DEFAULT if chosen is None else chosen


def _request_of_options(options: argparse.Namespace, catalogs: Iterable[str]) -> olmsolve.Request:
    """Make a request of the namespace ``operators`` from *catalogs*, ``--subscribe`` and ``--installed``.

    Subscriptions are named after their packages and consider all catalogs.
    """
    subscriptions = [_subscription(text) for text in options.subscriptions]
    sources = catalog_sources(catalogs)
    owners = {subscription.package: subscription.name for subscription in subscriptions}
    return olmsolve.Request(
        namespaces=dict.fromkeys((TARGET_NAMESPACE, *(source.namespace for source in sources), CATALOG_NAMESPACE)),
        sources=sources,
        subscriptions=subscriptions,
        installed=[_installed(name, sources, owners) for name in options.installed],
    )


def _subscription(text: str) -> olmsolve.Subscription:
    match = _SUBSCRIPTION.fullmatch(text)
    if match is None:
        package, colon, channel = text.partition(":")
        meant = f"{package}@{channel}" if colon and package and channel else "storefront@stable=storefront.v1.4.0"
        raise olmsolve.RequestError(
            "not of the form PACKAGE[@CHANNEL][=STARTING]", field=f"--subscribe {text}", hint=f"for example {meant}"
        )
    return olmsolve.Subscription(
        name=match["package"],
        namespace=TARGET_NAMESPACE,
        package=match["package"],
        channel=match["channel"] or "",
        starting_csv=match["starting"] or "",
    )


def _installed(name: str, sources: Sequence[olmsolve.Source], owners: dict[str, str]) -> olmsolve.Installed:
    """Return the operator that the bundle *name* became.

    Several catalogs, and packages, may have a bundle of that name. One of a package with a subscription (*owners*, by
    package) comes first, then the one from the catalog with the highest priority.
    """
    by_priority = sorted(sources, key=lambda source: -source.priority)
    holders = [(package, source) for source in by_priority for package in source.catalog if name in package.bundles]
    if not holders:
        raise _unknown_bundle(name, by_priority)
    package, source = next((holder for holder in holders if holder[0].name in owners), holders[0])
    bundle = package.bundles[name]
    with reading_by(source.catalog.scheme):
        facts = olmsolve.predicates.published(bundle.package, bundle.properties)
    return olmsolve.Installed(
        name=bundle.name,
        version="" if facts.version is None else str(facts.version),
        properties=bundle.properties,
        subscription=owners.get(bundle.package),
    )


def _unknown_bundle(name: str, sources: Iterable[olmsolve.Source]) -> olmsolve.RequestError:
    from itertools import islice

    from olmsolve._near_names import did_you_mean, similar_names

    names = (bundle for source in sources for package in source.catalog for bundle in package.bundles)
    near = similar_names(name, islice(names, _NAMES_COMPARED))
    return olmsolve.RequestError("no catalog has this bundle", field=f"--installed {name}", hint=did_you_mean(near))
