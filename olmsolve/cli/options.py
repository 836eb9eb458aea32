"""The options that several commands share, each with one name, one meaning and one help text.

A command attaches them in its ``arguments(parser)``, in the order in which ``--help`` shall show them::

    add_situation(parser)                      # REQUEST, or --catalog and --subscribe, or --cluster; --semantics ...
    add_backend(parser)                        # --backend
    add_output(parser)                         # --output
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from olmsolve.cli.catalogs import catalog_path, load
from olmsolve.cli.parsers import hide, one_of

if TYPE_CHECKING:
    from olmsolve.authoring import Renderer

# Text for people, or data.
ANSWER_FORMS: Final = ("text", "markdown", "json", "yaml")
"""The forms of every answer that has a text; a command lists its other forms after them."""
_CATALOG_FORMS: Final = ("json", "jsonl", "yaml", "opm-json", "opm-yaml")
_SEMANTICS: Final = ("documented", "controller")
_UNREADABLE: Final = ("strict", "referenced", "ignore")


def add_situation(
    parser: argparse.ArgumentParser,
    document: str = "REQUEST",
    meaning: str = "the request document",
    *,
    openshift_needed: bool = False,
    objects_needed: bool = False,
    idle: Sequence[str] = (),
) -> None:
    """Add the situation: a document, or the options instead of one, or a cluster's objects, and the policy.

    :func:`olmsolve.cli.situation.situation_of` makes the situation of them. *document* names the argument in help
    texts, and *meaning* says what it is. With *openshift_needed*, there is no answer without ``--openshift``, and with
    *objects_needed* none without the objects of a cluster. The options whose values are called *idle* can never matter:
    no help lists them, and the command refuses them.
    """
    parser.set_defaults(needs_objects=objects_needed, project=None, from_project=frozenset())
    parser.add_argument("document", metavar=document, nargs="?", help=f'{meaning}, "-" for stdin')
    _add_wishes(parser.add_argument_group("instead of a document"))
    objects = parser.add_argument_group("from a cluster's objects")
    add_cluster(
        objects,
        "the objects of a cluster, as kubectl get -o yaml or json prints them: files, folders, must-gathers,"
        ' archives, or "-" for stdin; live or live:CONTEXT reads a running cluster'
        " (example: dump.yaml --catalog olm/community=catalogs/community)",
    )
    add_selection(objects)
    add_policy(parser.add_argument_group("assumptions"), openshift_needed=openshift_needed)
    hide(parser, (*idle, *(("subscriptions", "installed") if objects_needed else ())))


def _add_wishes(parser: argparse._ActionsContainer) -> None:
    add_catalogs(
        parser,
        "[NAMESPACE/]NAME=PATH[:PRIORITY]",
        "a catalog and its content, a folder or a file; can be repeated (example: community=catalogs/community:10)."
        " With --subscribe, the catalog with the highest priority comes first (default: 0). For a cluster, name a"
        " CatalogSource (olm/community) or a ClusterCatalog, which has its own priority",
    )
    parser.add_argument(
        "--manifests",
        action="append",
        default=[],
        metavar="PATH",
        help="a bundle whose manifests the catalogs do not have: its image, or the folder that olmsolve bundle"
        " unpack writes; OLM v1 checks them; can be repeated",
    )
    parser.add_argument(
        "--subscribe",
        dest="subscriptions",
        action="append",
        default=[],
        metavar="PACKAGE[@CHANNEL][=STARTING]",
        help="subscribe to this package: to any channel or to CHANNEL, beginning with the bundle STARTING; can be"
        " repeated (example: storefront@stable=storefront.v1.4.0)",
    )
    parser.add_argument(
        "--installed",
        action="append",
        default=[],
        metavar="BUNDLE",
        help="a bundle of the catalogs that is installed: the subscription for its package owns it; without one, it"
        " must stay; can be repeated (example: keyring.v1.0.2)",
    )


def add_cluster(parser: argparse._ActionsContainer, shown: str) -> None:
    """Add ``--cluster``, of which *shown* is the help."""
    parser.add_argument("--cluster", action="extend", nargs="+", default=[], metavar="FILE", help=shown)


def add_selection(parser: argparse._ActionsContainer) -> None:
    """Add which questions of a cluster are asked."""
    parser.add_argument(
        "-n",
        "--namespace",
        default="",
        metavar="NAME",
        help="ask only about this namespace (example: shop; default: all)",
    )
    parser.add_argument(
        "--extension",
        default="",
        metavar="NAME",
        help="ask only about this ClusterExtension (example: etcd; default: all)",
    )


def add_policy(parser: argparse._ActionsContainer, *, openshift_needed: bool = False) -> None:
    """Add the policy: what is assumed about the cluster, and what it refuses to run."""
    add_semantics(parser)
    add_global_namespace(parser)
    add_unreadable(parser)
    add_eligibility(parser, openshift_needed=openshift_needed)
    add_feature_gates(parser)
    add_house_rules(parser)


def add_feature_gates(parser: argparse._ActionsContainer) -> None:
    """Add the feature gates of operator-controller, in the form of its own option."""
    parser.add_argument(
        "--feature-gates",
        metavar="GATE=BOOL",
        help="the feature gates of operator-controller (OLM v1), separated by commas (example:"
        " SingleOwnNamespaceInstallSupport=true; default: what the objects show, else what the controller has)",
    )


def add_catalogs(parser: argparse._ActionsContainer, form: str, meaning: str) -> None:
    """Add the repeatable ``--catalog``, whose value has this *form*; *meaning* is its help text."""
    parser.add_argument("--catalog", dest="catalogs", action="append", default=[], metavar=form, help=meaning)


def add_global_namespace(parser: argparse._ActionsContainer) -> None:
    """Add the namespace whose catalogs all other namespaces see."""
    parser.add_argument(
        "--global-namespace",
        default=None,
        metavar="NAME",
        help="the namespace whose catalogs all others see (default: olm, or openshift-marketplace if only that one"
        " has catalogs)",
    )


def add_unreadable(parser: argparse._ActionsContainer) -> None:
    """Add what to resolve where a catalog has no content."""
    parser.add_argument(
        "--unreadable",
        type=one_of(_UNREADABLE),
        choices=_UNREADABLE,
        default=None,
        help="what to resolve if a catalog cannot be read: nothing, like OLM (strict); only requests that cannot depend"
        " on it (referenced); or everything, without it (ignore) (default: strict, or what the request says)",
    )


def add_eligibility(parser: argparse._ActionsContainer, *, openshift_needed: bool) -> None:
    """Add what the cluster refuses to run, by its operator groups and its versions."""
    parser.add_argument(
        "--operator-groups",
        action="store_true",
        help="install only operators that may act in their operator group",
    )
    parser.add_argument(
        "--kubernetes", metavar="VERSION", help="install nothing that needs a newer Kubernetes (example: 1.31.2)"
    )
    parser.add_argument(
        "--openshift",
        required=openshift_needed,
        metavar="VERSION",
        help="install nothing that does not work on this OpenShift (example: 4.18.0)",
    )


def add_house_rules(parser: argparse._ActionsContainer) -> None:
    """Add the file of house rules."""
    parser.add_argument(
        "--house-rules",
        metavar="FILE",
        help="a file with rules of your own: never, at least one, prefer (docs/house-rules.md; example: rules.yaml)",
    )


def add_backend(parser: argparse.ArgumentParser) -> None:
    """Add the backend, for commands that search."""
    parser.add_argument(
        "--backend", metavar="BACKEND", help="the SAT solver to use; olmsolve backends lists them (example: cadical153)"
    )


def add_timeout(parser: argparse.ArgumentParser, *, default: str | None = None) -> None:
    """Add the time limit, which :mod:`olmsolve.cli.table` does for every command.

    *default* is :data:`argparse.SUPPRESS` for an action of a command, which must not hide the command's own value. A
    command that limits a part of its work says which by its default of ``limited_work``.
    """
    work = parser.get_default("limited_work") or "the command may take, reading included"
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=default,
        metavar="SECONDS",
        help=f"the most time that {work} (example: 2.5; default: no limit)",
    )


def add_semantics(parser: argparse._ActionsContainer) -> None:
    """Add the semantics of compound constraints."""
    parser.add_argument(
        "--semantics",
        type=one_of(_SEMANTICS),
        choices=_SEMANTICS,
        default=None,
        help="how to read all, any and not in constraints: about the whole set of selected bundles, as OLM's"
        " documentation says, or about each bundle by itself, as its controller does (default: controller for a"
        " cluster's objects, else documented)",
    )


def add_output(parser: argparse.ArgumentParser, *forms: str, shown: str = "the form of the answer") -> None:
    """Add the form of the answer: one of *forms* (default: the forms of every answer), by default the first.

    *shown* begins the help text. ``-o`` is short for ``--output``, as in kubectl.
    """
    forms = forms or ANSWER_FORMS
    parser.add_argument(
        "-o", "--output", type=one_of(forms), choices=forms, default=forms[0], help=f"{shown} (default: {forms[0]})"
    )


def add_report(parser: argparse.ArgumentParser, *, has_page: bool = False) -> None:
    """Add the form of a report of findings about catalogs: an answer's forms, and what continuous integration reads."""
    forms = (*ANSWER_FORMS, "junit", "sarif", "github", *(("html",) if has_page else ()))
    page = "; html is a page" if has_page else ""
    shown = "the form of the report: text, Markdown, JSON, YAML, JUnit XML, SARIF, or annotations of GitHub Actions"
    add_output(parser, *forms, shown=f"{shown}{page}")


def add_target(parser: argparse.ArgumentParser, otherwise: str = "standard output") -> None:
    """Add the file to write; without it a command writes to *otherwise*."""
    parser.add_argument("--to", default="", metavar="FILE", help=f"the file to write (default: {otherwise})")


def add_catalog(
    parser: argparse.ArgumentParser, what: str = 'a folder, a file, an archive or an image, "-" for stdin'
) -> None:
    """Add the catalog that a command is about: ``options.catalog`` is its path, however it is given."""
    meaning = f"a catalog, as PATH or NAME=PATH: {what} (default: the only one of the project file)"
    parser.add_argument("catalog", metavar="CATALOG", nargs="?", help=meaning)
    add_catalogs(parser, "[NAME=]PATH[:PRIORITY]", "the same, as other commands take it")
    parser.set_defaults(takes_catalogs="one")


def add_catalog_list(parser: argparse.ArgumentParser, meaning: str, *, instead: Sequence[str] = ()) -> None:
    """Add the catalogs that a command is about: ``options.catalogs`` are their texts, however they are given.

    *meaning* is the help text. The options whose values are called *instead* stand for catalogs.
    """
    parser.add_argument(
        "catalog_arguments",
        metavar="CATALOG",
        nargs="*",
        default=[],
        help=f"a catalog, as [NAME=]PATH[:PRIORITY]: {meaning} (example: community=catalogs/community; default: those"
        " of the project file)",
    )
    add_catalogs(parser, "[NAME=]PATH[:PRIORITY]", "the same, as other commands take it; can be repeated")
    parser.set_defaults(takes_catalogs="several", instead_of_catalogs=tuple(instead))


def add_written_catalog(
    parser: argparse.ArgumentParser, default: str = "it is printed", *, drawings: Sequence[str] = ()
) -> argparse._MutuallyExclusiveGroup:
    """Add the form of a new catalog, and where to write it; :func:`olmsolve.cli.catalogs.put` obeys these options.

    *default* says what happens without them. *drawings* are further forms, which draw the catalog. Returns the group of
    targets, of which one can be chosen.
    """
    forms = (*_CATALOG_FORMS, *drawings)
    drawn = f"; or its update graphs drawn: {', '.join(drawings)}" if drawings else ""
    parser.add_argument(
        "-o",
        "--output",
        type=one_of(forms),
        choices=forms,
        help=f"the form: JSON, JSON on lines, YAML, or JSON or YAML as opm has it{drawn} (default: json; yaml with"
        " --split; with --to, what the suffix says)",
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--to", default="", metavar="FILE", help=f"write the catalog to this file (default: {default})")
    target.add_argument("--split", default="", metavar="FOLDER", help="write a folder for each package into this one")
    return target


def whole_number(least: int, most: int, meaning: str = "") -> Callable[[str], int]:
    """Return a type for argparse: a number from *least* to *most*, called *meaning* in the message about another text.

    Python's own ``int`` takes signs, blanks, underscores and digits of every script, which nobody means to type.
    """

    def number(text: str) -> int:
        is_plain = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
        if not (is_plain and least <= int(text) <= most):
            expected = meaning or f"number from {least} to {most}"
            raise argparse.ArgumentTypeError(f"not a {expected}: {text!r}")
        return int(text)

    return number


def seconds(text: str) -> float:
    """Return the number of seconds in *text*; a type for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"not a number of seconds above 0: {text!r}")
    return value


CSV_METADATA: Final = "bundle-object-to-csv-metadata"
MIGRATE_LEVELS: Final = ("none", CSV_METADATA)


def add_images(parser: argparse.ArgumentParser) -> None:
    """Add ``--bundle``, ``--catalog``, ``--folder``, ``--pull`` and who keeps manifests, for :func:`renderer_of`."""
    parser.add_argument(
        "--bundle",
        dest="bundles",
        action="append",
        default=[],
        metavar="IMAGE=PATH",
        help="a bundle by its image: a file with its blob, its folder or its image in a file; can be repeated",
    )
    add_catalogs(parser, "[NAME=]PATH[:PRIORITY]", "a catalog whose bundles are found by their images; can be repeated")
    parser.add_argument("--folder", default="", metavar="FOLDER", help="a folder in which images are paths of bundles")
    parser.add_argument("--pull", action="store_true", help="pull images that are found nowhere else (docs/images.md)")
    parser.add_argument(
        "--bundle-objects",
        action="store_true",
        help="keep the manifests of bundles whole, as olm.bundle.object, instead of one olm.csv.metadata",
    )
    add_migrate_level(parser)


def add_migrate_level(parser: argparse.ArgumentParser) -> None:
    """Add ``--migrate-level``, by which ``opm`` names what ``--bundle-objects`` and ``--migrate`` choose."""
    parser.add_argument(
        "--migrate-level",
        choices=MIGRATE_LEVELS,
        default="",
        metavar="LEVEL",
        help=f"a migrate level of opm: none (as --bundle-objects, and opm's default) or {CSV_METADATA}",
    )


def keeps_objects(options: argparse.Namespace) -> bool:
    """Return whether the manifests of bundles stay whole, as *options* say with either name."""
    if options.bundle_objects and options.migrate_level == CSV_METADATA:
        options.refuse(f"--bundle-objects keeps what --migrate-level {CSV_METADATA} replaces")
    return bool(options.bundle_objects) or options.migrate_level == "none"


def renderer_of(options: argparse.Namespace) -> Renderer:
    """Return the renderer that *options* describe: the first place that has an image counts.

    Raises:
        CatalogError: a catalog cannot be read.
    """
    from olmsolve.authoring import templates

    paths = by_name(options, "--bundle", options.bundles, "IMAGE=PATH")
    # The first renderer that finds an image wins, so they are stacked from the last to the first.
    whole = keeps_objects(options)
    renderer = templates.bundles_from_registries(with_objects=whole) if options.pull else None
    if options.folder:
        renderer = templates.bundles_in_folder(options.folder, renderer, with_objects=whole)
    for catalog in reversed(options.catalogs):
        renderer = templates.bundles_by_image(load(catalog_path(catalog), index=False), renderer)
    return templates.bundles_by_path(paths, renderer, with_objects=whole)


def by_name(options: argparse.Namespace, option: str, texts: list[str], form: str) -> dict[str, str]:
    """Return the paths in *texts*, values of *option* of this *form*, by the names before them."""
    paths: dict[str, str] = {}
    for text in texts:
        # Names hold no equals sign, paths may.
        name, separator, path = text.partition("=")
        if not (name and separator and path):
            options.refuse(f"argument {option}: not of the form {form}: {text!r}")
        paths[name] = path
    return paths


def add_package(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the package that an action is about."""
    meaning = {"help": "the package to change"} if required else {"default": "", "help": "show only this package"}
    parser.add_argument("--package", required=required, metavar="PACKAGE", **meaning)
