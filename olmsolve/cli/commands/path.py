"""``olmsolve path``: the updates from an installed bundle to the newest or a wanted one."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, Final

import olmsolve
from olmsolve import render
from olmsolve._near_names import did_you_mean, near_names, similar_names
from olmsolve.cli.answering import Answer, answer_questions
from olmsolve.cli.catalogs import load
from olmsolve.cli.options import add_output, add_situation
from olmsolve.cli.output import Exit, LaidOut, show
from olmsolve.cli.parsers import one_of
from olmsolve.cli.situation import (
    RESOLVING,
    given_among,
    refuse_idle,
    refuse_situation,
    situation_of,
    take_package,
)

DESCRIPTION: Final = """\
Show the updates that lead from an installed bundle to the newest, or to a wanted one: for a package of a
catalog, or for each subscription and extension of a request or a cluster, within its channel and range
(docs/cluster.md, docs/v1.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve path catalogs/orchard storefront --from storefront.v1.4.1
  olmsolve path catalogs/orchard storefront --from storefront.v1.4.0 \\
                --olm classic --channel 1.x
  olmsolve path upgrade.yaml --shortest
  olmsolve path --cluster cluster.yaml \\
                --catalog olm/orchard=catalogs/orchard \\
                --catalog olm/commons=catalogs/commons --namespace shop

exit codes:
  0  the path of each installed bundle gets there
  1  a path does not get there
  2  bad input: a catalog, a request or an argument"""

_ONE_PACKAGE: Final = ("installed_bundle", "channels", "olm")

# Nothing is resolved.
_IDLE: Final = ("semantics", "operator_groups", "house_rules")
_GENERATIONS: Final = ("v1", "classic")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog and the package, or the situation, and where the path begins and ends."""
    add_situation(parser, "CATALOG|REQUEST", "a catalog with PACKAGE, or a request document", idle=_IDLE)
    parser.add_argument("package", metavar="PACKAGE", nargs="?", help="the package, if a catalog is given")
    parser.add_argument(
        "--to", default="", metavar="BUNDLE|VERSION", help="the wanted bundle or version (default: as far as possible)"
    )
    parser.add_argument(
        "--shortest",
        dest="mode",
        action="store_const",
        const="shortest",
        default="controller",
        help="take the fewest steps: the controller may take more",
    )
    package = parser.add_argument_group("of a package in a catalog")
    package.add_argument(
        "--from",
        dest="installed_bundle",
        metavar="BUNDLE[=VERSION]",
        help="the installed bundle, needed with PACKAGE; with its version if the catalog no longer has it (example:"
        " storefront.v1.0.0)",
    )
    package.add_argument(
        "--channel",
        dest="channels",
        action="append",
        default=[],
        metavar="CHANNEL",
        help="an allowed channel: for OLM v1 it can be repeated (default: all); classic OLM takes one (default: the"
        " package's default channel) (example: stable)",
    )
    package.add_argument(
        "--olm", type=one_of(_GENERATIONS), choices=_GENERATIONS, help="whose rules count (default: v1)"
    )
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Look for the paths that *options* describe, print them, and return the exit code."""
    take_package(options)
    if options.package is not None:
        path = _of_package(options)
        show(options.output, text=partial(render.path_text, path), data=lambda: path)
        return Exit.PLAN if path["reached"] else Exit.UNSATISFIABLE
    if given := given_among(options, _ONE_PACKAGE):
        verb = "goes" if len(given) == 1 else "go"
        options.refuse(f"{' and '.join(given)} {verb} with a catalog and a package; a request says the same itself")
    if options.installed and not options.subscriptions and options.catalogs and options.document is None:
        options.refuse("--installed without --subscribe: a path follows the updates of the subscription that owns it")
    refuse_idle(options, _IDLE, "a path follows update edges, and resolves no constraints")
    situation = situation_of(options)
    if not any(isinstance(other, olmsolve.requests.ExtensionQuestion) for other in situation.questions):
        refuse_idle(options, ("kubernetes", "openshift"), "a classic path follows only the update edges of a channel")
    return answer_questions(options, situation, partial(_answer, options))


def _answer(options: argparse.Namespace, question: olmsolve.requests.Question, _: olmsolve.Situation) -> Answer:
    """Return the paths of *question*; a subscription without an installed operator is no reason for exit code 1."""
    request = question.request()
    if isinstance(request, olmsolve.Request):
        paths = olmsolve.classic.subscription_paths(request, to=options.to, mode=options.mode)
        faults = tuple(one_path.fault for one_path in paths if one_path.fault is not None)
        is_fine = all(one_path.reached or (one_path.catalog and not one_path.installed) for one_path in paths)
        code = Exit.PLAN if is_fine else Exit.UNSATISFIABLE
        code = Exit.BAD_INPUT if faults else code
        if not paths:
            code = Exit.UNSATISFIABLE if request.installed else Exit.PLAN
            return Answer(code, _unowned(request), partial(_document, ()))
        text = partial(render.subscription_paths_text, [one_path.to_dict() for one_path in paths])
        return Answer(code, text, partial(_document, paths), faults)
    try:
        path = olmsolve.v1.path(request, to=options.to, mode=options.mode)
    except olmsolve.RequestError as error:
        if request.installed is not None:
            raise
        from olmsolve.cli.documents import NoPath

        reason = error.reason
        return Answer(Exit.PLAN, lambda *, width, colour: reason, NoPath(reason).to_dict)
    code = Exit.PLAN if path.reached else Exit.UNSATISFIABLE
    return Answer(code, partial(render.path_text, path.to_dict()), path.to_dict)


def _unowned(request: olmsolve.Request) -> LaidOut:
    """Return the text for a request without subscriptions, in which nothing is updated."""
    names = ", ".join(operator.name for operator in request.installed)
    text = f"No subscription owns {names}, so nothing updates it." if names else "There are no subscriptions."
    return lambda *, width, colour: "\n".join(render.paragraph(text, width))


def _document(paths: tuple[olmsolve.classic.SubscriptionPath, ...]) -> dict[str, Any]:
    from olmsolve.cli.documents import PathList

    return PathList(paths).to_dict()


def _of_package(options: argparse.Namespace) -> dict[str, Any]:
    refuse_situation(options)
    refuse_idle(options, RESOLVING, "a path in a catalog follows only update edges")
    if options.installed_bundle is None:
        options.refuse("PACKAGE without --from, which says what is installed")
    is_classic = options.olm == "classic"
    if is_classic and len(options.channels) > 1:
        options.refuse("a classic subscription has one channel")
    catalog = load(options.document)
    package = catalog.packages.get(options.package)
    if package is None:
        hint = did_you_mean(similar_names(options.package, sorted(catalog.packages)))
        raise olmsolve.RequestError(f"the catalog has no package {options.package!r}", field="PACKAGE", hint=hint)
    name, _, version = options.installed_bundle.partition("=")
    if is_classic:
        channel = options.channels[0] if options.channels else ""
        # A bundle that the catalog has needs no version: the catalog says it.
        given = _given(version, catalog.scheme) if version else None
        return olmsolve.channel_path(
            package, name, version=given, channel=channel, to=options.to, mode=options.mode, scheme=catalog.scheme
        ).to_dict()
    extension = olmsolve.v1.Extension(package.name, channels=options.channels)
    installed = olmsolve.v1.InstalledBundle(name, version or _version(package, name))
    request = olmsolve.v1.ExtensionRequest(
        extension, [olmsolve.v1.ClusterCatalog(options.document, catalog)], installed
    )
    return olmsolve.v1.path(request, to=options.to, mode=options.mode).to_dict()


def _given(version: str, scheme: olmsolve.VersionScheme | None) -> olmsolve.Version:
    if scheme is None:
        return olmsolve.Version.parse_tolerant(version)
    read: olmsolve.Version | None = scheme.read(version)
    if read is None:
        raise olmsolve.RequestError(f"{version!r} is no {scheme.name} version", field="--from")
    return read


def _version(package: olmsolve.catalog.Package, name: str) -> str:
    """Return the version of the bundle *name* as OLM v1 would have recorded it."""
    bundle = package.bundles.get(name)
    if bundle is None:
        near = did_you_mean(near_names(name, package.bundles))
        hint = near or "--from NAME=VERSION says the version of a bundle that the catalog no longer has"
        raise olmsolve.RequestError("the package has no such bundle", field=f"--from {name}", hint=hint)
    try:
        return str(olmsolve.v1.version_of(name, bundle.properties, release_support=False).legacy_version)
    except olmsolve.VersionError as error:
        raise olmsolve.RequestError(error.reason, field=f"--from {name}") from None
