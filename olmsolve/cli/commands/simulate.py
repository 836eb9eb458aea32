"""``olmsolve simulate``: what a cluster will look like, step by step."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import missing_content, tell_objects_alone, title
from olmsolve.cli.options import ANSWER_FORMS, add_backend, add_output, add_situation, whole_number
from olmsolve.cli.output import Exit, complain, exit_of, show, write
from olmsolve.cli.pages import about_page
from olmsolve.cli.situation import backend_of, refuse_idle, situation_of

DESCRIPTION: Final = """\
Show what a cluster will look like: plans are carried out on its objects, and its namespaces are resolved again until
nothing changes (docs/simulation.md). Extensions of OLM v1 are updated one by one. Nothing is sent anywhere."""

EXAMPLES: Final = """\
examples:
  olmsolve simulate --cluster cluster.yaml \\
                    --catalog olm/orchard=catalogs/orchard \\
                    --catalog olm/commons=catalogs/commons
  olmsolve simulate --cluster cluster.yaml \\
                    --catalog olm/orchard=catalogs/orchard \\
                    --catalog olm/commons=catalogs/commons --namespace shop \\
                    --approve
  olmsolve simulate --cluster cluster.yaml \\
                    --catalog olm/orchard=catalogs/orchard \\
                    --catalog olm/commons=catalogs/commons --output html \\
                    > timeline.html

exit codes:
  0  the cluster comes to rest, and nothing is left to do
  1  something is left: a plan waits, an operator fails, a namespace has no plan, or the cluster never rests
  2  bad input: a file, an object, a catalog or an argument"""

_MOST_STEPS: Final = 999_999_999


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, what is assumed about people and operators, and when to stop."""
    add_situation(parser, objects_needed=True)
    add_backend(parser)
    parser.add_argument("--approve", action="store_true", help="approve install plans that wait for approval")
    parser.add_argument(
        "--failing",
        action="append",
        default=[],
        metavar="NAMESPACE/NAME",
        help="an operator whose installation fails (example: shop/ledger.v2.0.1)",
    )
    parser.add_argument(
        "--steps",
        type=whole_number(1, _MOST_STEPS, "number of steps above 0"),
        default=1000,
        metavar="N",
        help="the most steps to take (default: 1000)",
    )
    parser.add_argument("--verify", action="store_true", help="have each answer confirmed by the independent checker")
    add_output(parser, *ANSWER_FORMS, "html", shown="the form of the answer; html is a page with a timeline")


def run(options: argparse.Namespace) -> int:
    """Simulate the situation of *options*, print its steps, and return the exit code."""
    situation = situation_of(options)
    if _is_about_extensions(situation):
        refuse_idle(options, ("approve", "failing", "verify"), "OLM v1 has no install plans, and needs no search")
    try:
        simulation = olmsolve.simulate(
            situation,
            approve=options.approve,
            failing=options.failing,
            verify=options.verify,
            most_steps=options.steps,
            backend=backend_of(options),
        )
    except olmsolve.requests.MissingContentError as error:
        return tell_objects_alone(options, situation, [(situation.questions[0], error)])
    missing = [
        (reply.question, lack)
        for reply in situation.ask(lambda question: question.request())
        if (lack := missing_content(reply.error)) is not None
    ]
    if missing and len(missing) == len(situation.questions):
        # Nothing was simulated: each namespace and each extension needs a content that is missing.
        return tell_objects_alone(options, situation, missing)
    if options.output == "html":
        write(render.simulation_html(simulation, about=about_page(options, situation)).rstrip("\n"))
    else:
        show(options.output, text=partial(render.simulation_text, simulation), data=simulation.to_dict)
    refuted = [pass_ for pass_ in simulation.passes if pass_.verdict is not None and not pass_.verdict.valid]
    for pass_ in refuted:
        assert pass_.verdict is not None
        complain(f"an answer for namespace {pass_.namespace} is not confirmed: {pass_.verdict.reason}")
    if refuted:
        return Exit.FAULT
    code = Exit.PLAN if simulation.is_settled else Exit.UNSATISFIABLE
    return Exit.BAD_INPUT if _complain_of_bad_input(situation, simulation) else code


def _is_about_extensions(situation: olmsolve.Situation) -> bool:
    """Return whether OLM v1 alone has to do with *situation*: it has no operators and no plans of classic OLM."""
    kinds = olmsolve.cluster.objects
    classic = (kinds.SubscriptionObject, kinds.InstallPlan, kinds.ClusterServiceVersion)
    if situation.cluster is not None and not situation.is_part and any(map(situation.cluster.state.all, classic)):
        return False
    questions = situation.questions
    return bool(questions) and all(isinstance(question, olmsolve.requests.ExtensionQuestion) for question in questions)


def _complain_of_bad_input(situation: olmsolve.Situation, simulation: olmsolve.Simulation) -> bool:
    """Write what in the input of *situation* is bad to standard error; return whether anything is."""
    faults = {f"Namespace {pass_.namespace}": pass_.error for pass_ in simulation.passes if pass_.bad_input}
    failed = simulation.extensions.failed if simulation.extensions is not None else ()
    faults |= {
        f"ClusterExtension {failure.extension}": str(failure.error)
        for failure in failed
        if exit_of(failure.error) == Exit.BAD_INPUT
    }
    faults |= {title(error.question): str(error.error) for error in simulation.errors}
    for name, fault in faults.items():
        complain(fault if len(situation.questions) == 1 else f"{name}: {fault}")
    return bool(faults)
