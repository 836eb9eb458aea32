"""``olmsolve groups``: the operator groups of a cluster, and which operators may not act in theirs."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.options import add_output, add_situation
from olmsolve.cli.output import Exit, show
from olmsolve.cli.situation import EXTENSIONS_ONLY, RESOLVING, cluster_of, refuse_idle, situation_of

DESCRIPTION: Final = """\
Show the operator groups of a cluster with their target namespaces and operators, and report every fault of a group, and
every operator that may not act in its group (docs/operator-groups.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve groups --cluster cluster.yaml
  olmsolve groups --cluster cluster.yaml --namespace shop --output json

exit codes:
  0  every operator may act
  1  an operator may not act, or a group has a fault
  2  bad input: a file, an object or an argument"""


_IDLE: Final = ("catalogs", *EXTENSIONS_ONLY, *RESOLVING, "house_rules")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation and the form of the answer."""
    add_situation(parser, objects_needed=True, idle=_IDLE)
    parser.set_defaults(reads_catalogs=False)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Print the groups of the cluster of *options*, and return the exit code."""
    # A namespace is chosen from the report: it may have groups and operators, and no subscription.
    every_namespace = argparse.Namespace(**{**vars(options), "namespace": ""})
    state = cluster_of(situation_of(every_namespace), "groups").state
    refuse_idle(options, _IDLE, "operator groups depend only on objects of subscriptions")
    operator_groups = olmsolve.cluster.operator_groups
    report = operator_groups.check_operator_groups(state)
    # The other commands go by the annotations that OLM will have written. An API that a group is about to lose
    # will soon stop no operator, and an API that no annotation has yet belongs to the group that will get it.
    after = operator_groups.check_operator_groups(
        operator_groups.groups_as_written(operator_groups.pruned(state)[0]).state
    )
    report = operator_groups.GroupsReport(report.groups, after.operators)
    if options.namespace:
        report = _of_namespace(report, options.namespace)
    show(options.output, text=partial(render.operator_groups_text, report), data=report.to_dict)
    return Exit.PLAN if report.is_clean else Exit.UNSATISFIABLE


def _of_namespace(
    report: olmsolve.cluster.operator_groups.GroupsReport, namespace: str
) -> olmsolve.cluster.operator_groups.GroupsReport:
    """Return the part of *report* about *namespace*. Raises RequestError where it has no group and no operator."""
    from olmsolve._near_names import did_you_mean, similar_names

    namespaces = sorted(
        {group.namespace for group in report.groups} | {operator.namespace for operator in report.operators}
    )
    if namespace not in namespaces:
        near = did_you_mean(similar_names(namespace, namespaces))
        raise olmsolve.RequestError(
            "no operator group and no operator is in this namespace",
            field=f"namespace {namespace}",
            hint=near or f"there are: {', '.join(namespaces[:10]) or 'none'}",
        )
    return olmsolve.cluster.operator_groups.GroupsReport(
        tuple(group for group in report.groups if group.namespace == namespace),
        tuple(operator for operator in report.operators if operator.namespace == namespace),
    )
