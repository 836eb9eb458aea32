"""What type checkers refuse, and beside it what they let pass: each pair is a right line, then a wrong one.

A wrong line has the error that strict mypy must find in it: an ``ignore`` that nothing needs is an error of its own.
So a type that gets vaguer fails this file, and so does a type that refuses what is right. What basedpyright finds is
in tests/typing/test_checkers.py.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import olmsolve
from olmsolve import catalog, cel, errors, events, predicates, semver, solver, testing, v1
from olmsolve.cluster import objects
from olmsolve.eligibility import CandidateFacts, Remedy
from olmsolve.solver import backends
from olmsolve.testing import synthetic, timing

if TYPE_CHECKING:
    from olmsolve.catalog import write

    def calls(
        request: olmsolve.Request,
        extension: v1.ExtensionRequest,
        source: olmsolve.Source,
        resolver: olmsolve.Resolver,
        plan: olmsolve.Resolution,
        failure: olmsolve.Unsatisfiable,
        wish: olmsolve.Subscription,
        situation: olmsolve.Situation,
        state: olmsolve.ClusterState,
        facts: CandidateFacts,
        problem: solver.Problem,
        observer: olmsolve.Observer,
    ) -> None:
        # == answers

        # The names of verbs are known.
        olmsolve.resolve(request)
        olmsolve.resolv(request)  # type: ignore[attr-defined]
        # A plan of classic OLM has several bundles, that of an extension has one.
        print(olmsolve.resolve(request).installs)
        print(olmsolve.resolve(request).bundle)  # type: ignore[attr-defined]
        # The answer for an extension has no list of bundles to install.
        print(olmsolve.resolve(extension).bundle)
        print(olmsolve.resolve(extension).installs)  # type: ignore[attr-defined]
        # What is resolved is a request, and no path of one.
        olmsolve.resolve(olmsolve.read_request("request.yaml"))
        olmsolve.resolve("request.yaml")  # type: ignore[arg-type]
        # Settings have names.
        olmsolve.resolve(request, timeout=5)
        olmsolve.resolve(request, 5)  # type: ignore[call-arg, arg-type]
        # Semantics are two words, or the members of an enumeration.
        olmsolve.resolve(request, semantics="controller")
        olmsolve.resolve(request, semantics="upstream")  # type: ignore[arg-type]
        # A backend is a name, a factory or a backend.
        olmsolve.resolve(request, backend="cadical195")
        olmsolve.resolve(request, backend=5)  # type: ignore[arg-type]
        # A factory makes backends.
        olmsolve.resolve(request, backend=backends.PythonSolver)
        olmsolve.resolve(request, backend=dict)  # type: ignore[arg-type]
        # What cancels is an object with is_set(), such as an event of threading or asyncio, and no function.
        olmsolve.resolve(request, cancel=asyncio.Event())
        olmsolve.resolve(request, cancel=lambda: False)  # type: ignore[arg-type]
        # An observer is an object with a method for events.
        olmsolve.resolve(request, observer=observer)
        olmsolve.resolve(request, observer=print)  # type: ignore[arg-type]
        # Satisfiability is asked of requests, and a plan is none.
        olmsolve.is_satisfiable(request)
        olmsolve.is_satisfiable(plan)  # type: ignore[arg-type]
        # An explanation is one of a failure or an answer.
        olmsolve.explanation(failure)
        olmsolve.explanation([failure])  # type: ignore[arg-type]
        # A reason says its kind.
        print([reason.kind for reason in failure.core])
        print([reason.sort for reason in failure.core])  # type: ignore[attr-defined]
        # "Why" needs the bundle of a plan.
        olmsolve.why(plan, "blue")
        olmsolve.why(plan)  # type: ignore[call-overload]
        # Versions are texts, as catalogs write them.
        olmsolve.why_not(plan, "blue", version="1.0")
        olmsolve.why_not(plan, "blue", version=1.0)  # type: ignore[call-overload]
        # Two requests are compared, of the same kind.
        olmsolve.diff(request, request)
        olmsolve.diff(request, extension)  # type: ignore[misc]
        # The text of a plan is made of a plan.
        olmsolve.plan_text(plan)
        olmsolve.plan_text(failure)  # type: ignore[arg-type]

        # == resolvers

        # A resolver is over sources: a catalog has no name and no priority.
        olmsolve.Resolver([source])
        olmsolve.Resolver([source.catalog])  # type: ignore[list-item]
        # A resolver needs the namespaces of each question.
        resolver.resolve([wish], namespaces=["shop"])
        resolver.resolve([wish])  # type: ignore[call-arg]
        # Questions to a resolver are about a bundle by its name.
        resolver.why([wish], "blue", namespaces=["shop"])
        resolver.why([wish], 5, namespaces=["shop"])  # type: ignore[arg-type]
        # What is awaited is a plan.
        print((lambda answer: answer.installs)(asyncio.run(resolver.resolve_async([wish], namespaces=["shop"]))))
        print(resolver.resolve_async([wish], namespaces=["shop"]).installs)  # type: ignore[attr-defined]
        # A store watches files by the names of catalogs.
        olmsolve.CatalogStore({"olm/community": "catalogs/community"})
        olmsolve.CatalogStore(["catalogs/community"])  # type: ignore[arg-type]

        # == requests

        # A source has a name, a namespace, a priority and a catalog.
        olmsolve.Source("main", "olm", 0, olmsolve.Catalog({}))
        olmsolve.Source("main", "olm", catalog=olmsolve.Catalog({}))  # type: ignore[call-arg]
        # A priority is a whole number.
        olmsolve.Source("main", "olm", 5, olmsolve.Catalog({}))
        olmsolve.Source("main", "olm", "5", olmsolve.Catalog({}))  # type: ignore[arg-type]
        # A request takes sources.
        olmsolve.Request(["shop"], [source], [])
        olmsolve.Request(["shop"], [olmsolve.Catalog({})], [])  # type: ignore[list-item]
        # A wish is a Subscription, and no dictionary.
        olmsolve.Request(["shop"], [source], [olmsolve.Subscription("blue", "shop", "blue")])
        olmsolve.Request(["shop"], [source], [{"name": "blue"}])  # type: ignore[list-item]
        # A system constraint returns why it refuses: "" for what it lets pass, and never True.
        olmsolve.Request(["shop"], [source], [], eligibility=[lambda candidate: ""])
        olmsolve.Request(["shop"], [source], [], eligibility=[lambda candidate: True])  # type: ignore[list-item]
        # House rules are values.
        olmsolve.Request(["shop"], [source], [], house_rules=[olmsolve.Never("blue", name="x")])
        olmsolve.Request(["shop"], [source], [], house_rules=[{"name": "x", "never": "blue"}])  # type: ignore[list-item]
        # Every rule has a name, for whoever it stops.
        olmsolve.Never("blue", name="no blue")
        olmsolve.Never("blue")  # type: ignore[call-arg]
        # Prefer takes one package, or Bundles of it.
        olmsolve.Prefer("blue", name="x")
        olmsolve.Prefer(["blue"], name="x")  # type: ignore[arg-type]
        # What is smallest is a number.
        olmsolve.Prefer("blue", smallest=lambda candidate: 5, name="x")
        olmsolve.Prefer("blue", smallest=lambda candidate: "five", name="x")  # type: ignore[arg-type]
        # The second field of Bundles has a name.
        olmsolve.Bundles("blue", versions=">=1.0.0")
        olmsolve.Bundles("blue", ">=1.0.0")  # type: ignore[call-arg]
        # Requests are frozen: a copy has other fields.
        olmsolve.evolve(source, priority=5)
        source.priority = 5  # type: ignore[misc]
        # The settings of a cluster are a Policy of known fields.
        olmsolve.Policy(semantics="documented")
        olmsolve.Policy(semantic="documented")  # type: ignore[call-arg]
        # A situation is planned as a whole.
        olmsolve.plan(situation)
        olmsolve.plan(request)  # type: ignore[arg-type]
        # A simulation begins with a situation.
        olmsolve.simulate(situation)
        olmsolve.simulate(state)  # type: ignore[arg-type]

        # == catalogs

        # A catalog is loaded from a path.
        olmsolve.load("catalogs/community")
        olmsolve.load(None)  # type: ignore[arg-type]
        # Channels have entries, which are values.
        olmsolve.Channel("blue", "stable", [olmsolve.ChannelEntry("blue.v1.0.0")])
        olmsolve.Channel("blue", "stable", ["blue.v1.0.0"])  # type: ignore[list-item]
        # A builder of packages takes versions as one text.
        olmsolve.package("blue").channel("stable", "1.0.0 < 1.1.0")
        olmsolve.package("blue").channel("stable", ["1.0.0", "1.1.0"])  # type: ignore[arg-type]
        # A catalog is made of built packages.
        olmsolve.catalog_of(olmsolve.package("blue").channel("stable", "1.0.0"), scheme="pep440")
        olmsolve.catalog_of("blue", scheme="pep440")  # type: ignore[arg-type]
        # So is a catalog of packages that are there: its scheme is a value, or the name of one.
        olmsolve.Catalog({}, scheme="pep440")
        olmsolve.Catalog({}, scheme=440)  # type: ignore[arg-type]
        # A catalog is written to a file.
        write(source.catalog, "catalog.json")
        write("catalog.json", source.catalog)  # type: ignore[arg-type]
        # Findings have a severity, which is an enumeration.
        print([finding for finding in olmsolve.validate("c") if finding.severity is olmsolve.Severity.ERROR])
        print([finding for finding in olmsolve.validate("c") if finding.severity.is_error])  # type: ignore[attr-defined]
        # A blob is written as a dictionary in JSON.
        print([blob["schema"] for blob in catalog.blobs(source.catalog)])
        print([blob.schema for blob in catalog.blobs(source.catalog)])  # type: ignore[attr-defined]

        # == rooms

        # Errors have a hint for their reader.
        print(errors.RequestError("is empty", field="name").hint)
        print(errors.RequestError("is empty", field="name").advice)  # type: ignore[attr-defined]
        # An event of a question says what was asked.
        print(events.QuestionPosed.__name__)
        print(events.QuestionAsked.__name__)  # type: ignore[attr-defined]
        # Versions are parsed, and compared with versions.
        print(semver.Version.parse("1.0.0") < semver.Version.parse("2.0.0"))
        print(semver.Version.parse("1.0.0") < "2.0.0")  # type: ignore[operator]
        # A rule is asked about properties.
        cel.compile("true").matches([{"type": "size", "value": 5}])
        cel.compile("true").matches(5)  # type: ignore[arg-type]
        # A range stands in a predicate as a range, and not as a text.
        predicates.InPackage("blue", semver.BlangRange.parse(">=1.0.0"))
        predicates.InPackage("blue", ">=1.0.0")  # type: ignore[arg-type]
        # A system constraint may say what to do about it.
        Remedy("buy blue")
        Remedy(5)  # type: ignore[arg-type]
        # The facts about a candidate are given to constraints, by name.
        print(facts.package)
        print(facts.packages)  # type: ignore[attr-defined]
        # The solver takes a problem of its own.
        solver.solve(problem)
        solver.solve(request)  # type: ignore[arg-type]
        # Extensions of OLM v1 have values of their own.
        v1.ExtensionRequest(v1.Extension("blue"), [v1.ClusterCatalog("main", source.catalog)])
        v1.ExtensionRequest("blue", [v1.ClusterCatalog("main", source.catalog)])  # type: ignore[arg-type]
        # A ClusterCatalog has a catalog, and no source.
        v1.ClusterCatalog("main", source.catalog)
        v1.ClusterCatalog("main", source)  # type: ignore[arg-type]
        # Objects of a cluster have typed fields.
        print([wish.package for wish in state.all(objects.SubscriptionObject)])
        print([wish.packages for wish in state.all(objects.SubscriptionObject)])  # type: ignore[attr-defined]
        # A backend made of a function takes clauses.
        backends.from_function(lambda clauses, assumptions: None)
        backends.from_function("minisat")  # type: ignore[arg-type]

        # == the kit for tests

        # An assertion about a plan names bundles.
        testing.assert_installs(request, "blue.v1.0.0")
        testing.assert_installs(plan.installs[0], "blue.v1.0.0")  # type: ignore[arg-type]
        # A fuzzing run takes sources.
        testing.fuzz([source], cases=5)
        testing.fuzz([source.catalog], cases=5)  # type: ignore[list-item]
        # Workers are an executor.
        testing.fuzz([source], executor=ThreadPoolExecutor())
        testing.fuzz([source], executor=4)  # type: ignore[arg-type]
        # A benchmark is given paths.
        timing.bench(["catalogs/community"])
        timing.bench([source])  # type: ignore[list-item]
        # Generated requests have one of two difficulties.
        synthetic.request("S", "hard", seed=7)
        synthetic.request("S", "nasty", seed=7)  # type: ignore[arg-type]


def test_the_lines_above_are_for_type_checkers() -> None:
    """They are never run; mypy and basedpyright read them (tests/typing/test_checkers.py)."""
    assert not TYPE_CHECKING
