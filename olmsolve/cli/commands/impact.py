"""``olmsolve impact``: what other catalogs or objects change on all clusters of a fleet."""

from __future__ import annotations

import argparse
import glob
import sys
from collections.abc import Sequence
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve._limits import checked
from olmsolve._paths import is_there
from olmsolve.cli.catalogs import catalogs_by_version, content_paths, load
from olmsolve.cli.change_options import GivenChanges, add_changes, given_changes, is_manifest_path
from olmsolve.cli.options import ANSWER_FORMS, add_backend, add_catalogs, add_output, add_policy, whole_number
from olmsolve.cli.output import Exit, Progress, complain, show, write
from olmsolve.cli.pages import about_page
from olmsolve.cli.processes import add_workers, dask_workers, processes
from olmsolve.cli.situation import backend_of, policy_of, refuse_idle

DESCRIPTION: Final = """\
Report what other catalogs or objects change on all clusters of a fleet, from their recorded objects: which operators
get which version, what newly fails and why, what becomes possible, what stays held back (docs/impact.md). Every
cluster is simulated to rest before the change and after it; similar clusters are answered once."""

EXAMPLES: Final = """\
examples:
  olmsolve impact --clusters cluster.yaml --change channel.yaml \\
                  --catalog olm/orchard=catalogs/orchard \\
                  --catalog olm/commons=catalogs/commons
  olmsolve impact --clusters cluster.yaml --change channel.yaml \\
                  --catalog olm/orchard=catalogs/orchard \\
                  --catalog olm/commons=catalogs/commons \\
                  --fail-on major,downgrades --output markdown
  olmsolve impact --clusters cluster.yaml --openshift 4.18 --journey 4.20 \\
                  --catalog olm/orchard=catalogs/orchard \\
                  --catalog olm/commons=catalogs/commons
  olmsolve impact --clusters cluster.yaml --change channel.yaml \\
                  --catalog olm/orchard=catalogs/orchard \\
                  --catalog olm/commons=catalogs/commons \\
                  --before-openshift 4.17 --openshift 4.18 --output html \\
                  > impact.html

exit codes:
  0  --fail-on finds nothing
  1  --fail-on finds something
  2  bad input: a catalog, a change, an argument, or no cluster that can be read"""

MOST_NAMES: Final = 1_000_000
_NOTHING: Final = "nothing"
_GATES: Final = (
    *("new-failures", "unapplied", "downgrades", "stranded", "orphaned", "waiting", "major", "blocking", "unordered"),
    "unreadable",
)
_USUAL: Final = ("new-failures", "unapplied")
_OF_CHANGES: Final = ("before", "after", "change", "before_openshift", "approve", "dask", "resume")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the clusters, the catalogs of both sides, the policy, the gates, and the form of the report."""
    parser.add_argument(
        "--clusters",
        action="extend",
        nargs="+",
        required=True,
        metavar="PATH",
        help="recorded clusters: files, folders of them, archives, must-gather trees, patterns of their names,"
        " or live:CONTEXT for a running cluster"
        " (example: 'dumps/*.yaml.gz')",
    )
    add_catalogs(
        parser,
        "NAMESPACE/NAME=PATH",
        "the new content of a catalog of the clusters, or only the name for a ClusterCatalog"
        " (example: olm/community=new; default: the old one)",
    )
    parser.add_argument(
        "--before",
        action="append",
        default=[],
        metavar="[NAMESPACE/NAME=]PATH",
        help="the old content of a catalog (example: olm/community=old; default: the new one); or, with --after, a"
        " file or folder with the manifests before the change",
    )
    add_changes(parser)
    parser.add_argument(
        "--before-openshift",
        metavar="VERSION",
        help="the version of OpenShift before the change (example: 4.18; default: that of --openshift)",
    )
    parser.add_argument(
        "--journey",
        metavar="VERSION",
        help="group the clusters by what stops them on the way to this OpenShift, instead of a change; each --catalog"
        " may begin with a version, as in olmsolve journey (example: 4.22)",
    )
    parser.add_argument(
        "--eus", action="store_true", help="with --journey: do not stop at odd versions, as between two EUS versions"
    )
    parser.add_argument("--approve", action="store_true", help="approve install plans that wait for approval")
    parser.add_argument(
        "--fail-on",
        type=_gates,
        default=_USUAL,
        metavar="WHAT",
        help=f"exit with 1 if one of these is found, separated by commas: {', '.join(_GATES)}, or {_NOTHING} (default:"
        f" {','.join(_USUAL)})",
    )
    add_workers(parser)
    parser.add_argument(
        "--names",
        type=whole_number(1, MOST_NAMES),
        default=100,
        metavar="N",
        help="how many clusters of each class the report names (default: 100)",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="share the work among the workers of a Dask cluster, which find the clusters under the same paths"
        " (example: tcp://scheduler:8786)",
    )
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help="record the progress in FILE, and continue from it if clusters, catalogs and changes are the same"
        " (example: impact.json)",
    )
    add_policy(parser)
    add_backend(parser)
    add_output(parser, *ANSWER_FORMS, "html", shown="the form of the report; html is a page")


def run(options: argparse.Namespace) -> int:
    """Compare the clusters of *options* before the change and after it, and return the exit code."""
    if options.journey:
        return _journeys(options)
    if options.eus:
        options.refuse("--eus is for --journey")
    manifests = [path for path in options.before if is_manifest_path(path)]
    contents = [path for path in options.before if path not in manifests]
    if not options.catalogs and not ((options.change or options.after) and contents):
        options.refuse("--catalog is needed, or --before where --change is given")
    with given_changes(options, manifests) as changes:
        return _compared(options, contents, changes)


def _compared(options: argparse.Namespace, contents: Sequence[str], changes: GivenChanges) -> int:
    # Help should not wait for attrs to load.
    import olmsolve._attrs as attrs

    given, given_before = content_paths(options.catalogs), content_paths(contents, "--before")
    # A catalog that is given for one side only is on the other side as well.
    after, before = {**given_before, **given}, {**given, **given_before}
    # A page draws the catalogs as well, and a catalog on both sides is read once.
    paths = dict.fromkeys((*before.values(), *after.values()))
    catalogs = {path: olmsolve.load(path) for path in paths}
    old, new = ({key: catalogs[path] for key, path in side.items()} for side in (before, after))
    clusters = _clusters(options.clusters)
    policy = policy_of(options)
    workers = processes(options.workers) if options.dask is None else dask_workers(options.dask)
    with workers as executor, Progress(sys.stderr, verb="comparing") as progress:
        report = olmsolve.impact(
            clusters,
            before=old,
            after=new,
            changes=changes.after,
            changes_before=changes.before,
            policy=policy,
            policy_before=attrs.evolve(policy, openshift=options.before_openshift or policy.openshift),
            approve=options.approve,
            openshift=options.openshift or "",
            executor=executor,
            backend=backend_of(options),
            progress=progress.reporter("clusters"),
            resume=options.resume,
            names=options.names,
        )
    if options.output == "markdown":
        write(render.impact_markdown(report))
    elif options.output == "html":
        write(render.impact_html(report, before=old, after=new, about=about_page(options)).rstrip("\n"))
    else:
        show(options.output, text=lambda **layout: render.impact_text(report, **layout), data=report.to_dict)
    if not (report.clusters or report.refusing_count):
        complain("--clusters: no cluster can be read")
        return Exit.BAD_INPUT
    gates = {gate.value for gate in report.gates}
    return Exit.UNSATISFIABLE if gates & set(options.fail_on) else Exit.PLAN


def _journeys(options: argparse.Namespace) -> int:
    """Group the clusters of *options* by what stops them on a journey, and return the exit code."""
    refuse_idle(options, _OF_CHANGES, "a journey is about clusters as they are")
    if options.output == "html":
        options.refuse(f"--journey is printed as {', '.join(ANSWER_FORMS[:-1])} or {ANSWER_FORMS[-1]}")
    if not options.catalogs:
        options.refuse("--journey without --catalog, which says what the catalogs contain at each version")
    today, later = catalogs_by_version(options.catalogs)
    with Progress(sys.stderr, verb="planning") as progress:
        fleet = olmsolve.lifecycle.journey.fleet_journeys(
            _clusters(options.clusters),
            to=options.journey,
            today=content_paths(today),
            later=later,
            openshift=options.openshift or "",
            eus=options.eus,
            policy=policy_of(options),
            names=options.names,
            backend=backend_of(options),
            progress=progress.reporter("clusters"),
        )
    show(options.output, text=lambda **layout: render.fleet_journeys_text(fleet, **layout), data=fleet.to_dict)
    if not fleet.clusters:
        complain("--clusters: no cluster can be read")
        return Exit.BAD_INPUT
    return Exit.PLAN if fleet.reached == fleet.clusters else Exit.UNSATISFIABLE


def _gates(text: str) -> tuple[str, ...]:
    """Return the gates in *text*, which commas separate; a type for argparse."""
    names = text.split(",")
    unknown = [name for name in names if name not in (*_GATES, _NOTHING)]
    if unknown:
        gates = ", ".join((*_GATES, _NOTHING))
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(map(repr, unknown))} (known: {gates})")
    return tuple(name for name in names if name != _NOTHING)


def _matching(pattern: str) -> list[str]:
    try:
        return sorted(checked(glob.iglob(pattern, recursive=True)))  # noqa: PTH207 - patterns of whole paths, absolute too
    except RecursionError:
        raise olmsolve.RequestError("folders lie in each other too deep", field=f"--clusters {pattern}") from None


def _clusters(patterns: Sequence[str]) -> list[str | olmsolve.requests.RecordedCluster]:
    """Return the paths that *patterns* stand for, and running clusters, read now.

    Raises RequestError for a pattern that stands for nothing, and for a cluster that cannot be read.
    """
    documents: dict[str, None] = {}
    running: list[olmsolve.requests.RecordedCluster] = []
    for pattern in patterns:
        if olmsolve.requests.is_live(pattern):
            live = olmsolve.requests.live_cluster(pattern, load)
            for fault in live.left_out:
                complain(f"left out, so its objects are missing from the answer: {fault}")
            running.append(olmsolve.requests.RecordedCluster(pattern, (live.document,)))
            continue
        # A file may really be called a[1].yaml.
        paths = [pattern] if is_there(pattern) else _matching(pattern)
        if not paths:
            raise olmsolve.RequestError(
                "nothing is there", field=f"--clusters {pattern}", hint="a file, a folder or a pattern is needed"
            )
        documents.update(dict.fromkeys(paths))
    return [*documents, *running]
