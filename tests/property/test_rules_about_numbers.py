"""House rules about numbers and with functions: the defined answer on every backend, and cores of what is needed.

The oracle reads requests of a small world, packages with versions, requirements and numbers, and looks at every set of
bundles. It shares nothing with the resolver.
"""

from __future__ import annotations

import itertools
import random
from typing import Any, NamedTuple

import attrs

import olmsolve
from olmsolve import Never, Prefer, Request, TotalAtMost, Unsatisfiable
from olmsolve.classic import RuleLimits
from olmsolve.eligibility import CandidateFacts
from olmsolve.requests import PackageBuilder, catalog_of, package, request_for
from tests.scale import scaled

BACKENDS = ("deciding", "minisat22", "python")
PACKAGES = "abcde"


class App(NamedTuple):
    """A bundle of the small world; *needs* are packages with the versions that do."""

    package: str
    version: int
    size: int | None
    stars: int
    needs: tuple[tuple[str, frozenset[int]], ...]

    @property
    def name(self) -> str:
        return f"{self.package}.v{self.version}.0.0"


class World(NamedTuple):
    """The bundles, each package's from its newest version down, and a request for some of them."""

    apps: dict[str, list[App]]
    request: Request


def stars(candidate: CandidateFacts) -> int:
    """stars"""
    value: int = candidate.value("stars")
    return value


def is_odd(candidate: CandidateFacts) -> bool:
    """an app of an odd version"""
    return int(candidate.version[0]) % 2 == 1 and candidate.package != "a"


def world(seed: int) -> World:
    """Return a random world; sizes are small enough for sums that matter."""
    chance = random.Random(f"numbers {seed}")
    apps: dict[str, list[App]] = {}
    builders: list[PackageBuilder] = []
    for name in PACKAGES:
        newest = chance.randint(1, 2)
        chain = " < ".join(f"{version}.0.0" for version in range(1, newest + 1))
        builder = package(name).channel("stable", chain)
        apps[name] = []
        for version in range(newest, 0, -1):
            needs: list[tuple[str, frozenset[int]]] = []
            for other in PACKAGES:
                if other > name and chance.random() < 0.3:
                    least = chance.randint(1, 2)
                    needs.append((other, frozenset(range(least, 3))))
                    builder = builder.requires(other, f">={least}.0.0", at=f"{version}.0.0")
            size = chance.choice((None, 0, 1, 2, 3, 5))
            app = App(name, version, size, chance.randint(0, 3), tuple(needs))
            if size is not None:
                builder = builder.having("size", size, at=f"{version}.0.0")
            builder = builder.having("stars", app.stars, at=f"{version}.0.0")
            apps[name].append(app)
        builders.append(builder)
    rules: list[Any] = []
    if chance.random() < 0.8:
        rules.append(TotalAtMost(limit=chance.randint(0, 9), of="size", name="room"))
    if chance.random() < 0.3:
        rules.append(TotalAtMost(limit=chance.randint(0, 6), of=stars, name="fame"))
    if chance.random() < 0.3:
        rules.append(Never(is_odd, name="even ones"))
    rules += chance.sample(
        [
            Prefer(name="small", smallest="size"),
            Prefer(name="famous", largest=stars),
            Prefer(is_odd, name="odd ones"),
            Prefer(chance.choice(PACKAGES), name="small in one", smallest="size"),
        ],
        chance.randint(0, 2),
    )
    request = request_for(catalog_of(*builders), *chance.sample(PACKAGES, chance.randint(1, 3)))
    return World(apps, attrs.evolve(request, house_rules=tuple(rules)))


def facts(app: App) -> CandidateFacts:
    properties = [olmsolve.Property("stars", app.stars)]
    properties += [] if app.size is None else [olmsolve.Property("size", app.size)]
    return CandidateFacts(app.name, app.package, f"{app.version}.0.0", "olm/catalog", tuple(properties))


def allowed(apps: tuple[App, ...], request: Request) -> bool:
    """Whether a set of bundles keeps everything but the wishes."""
    if len({app.package for app in apps}) < len(apps):
        return False
    have = {(app.package, app.version) for app in apps}
    if any(not any((other, v) in have for v in versions) for app in apps for other, versions in app.needs):
        return False
    for rule in request.house_rules:
        if isinstance(rule, TotalAtMost):
            amounts = [(app.size or 0) if rule.of == "size" else app.stars for app in apps]
            if sum(amounts) > rule.limit:
                return False
        if isinstance(rule, Never) and any(is_odd(facts(app)) for app in apps):
            return False
    return True


def ordered(apps: list[App], request: Request) -> list[App]:
    """Candidates of one choice in the order of the preferences; they come from the newest version down."""

    def key(app: App) -> list[tuple[bool, int]]:
        keys: list[tuple[bool, int]] = []
        for rule in request.house_rules:
            match rule:
                case Prefer(name="small"):
                    keys.append((app.size is None, app.size or 0))
                case Prefer(name="famous"):
                    keys.append((False, -app.stars))
                case Prefer(name="odd ones"):
                    keys.append((not is_odd(facts(app)), 0))
                case Prefer(name="small in one", bundles=bundles):
                    counts = app.package == bundles.package and app.size is not None
                    keys.append((not counts, (app.size or 0) if counts else 0))
        return keys

    return sorted(apps, key=key)


def defined(world: World) -> list[str] | None:
    """The preferred plan by its definition: each choice takes the first candidate beside which a valid set exists."""
    request = world.request
    every = [app for apps in world.apps.values() for app in apps]
    wanted = [subscription.package for subscription in request.subscriptions]
    valid = [
        chosen
        for count in range(len(PACKAGES) + 1)
        for chosen in itertools.combinations(every, count)
        if allowed(chosen, request) and set(wanted) <= {app.package for app in chosen}
    ]
    if not valid:
        return None
    selected: list[App] = []
    queue = [ordered(world.apps[name], request) for name in wanted]
    for candidates in queue:
        if any(app in candidates for app in selected):
            continue
        chosen_app = next(app for app in candidates if any({*selected, app} <= {*chosen} for chosen in valid))
        selected.append(chosen_app)
        for other, versions in chosen_app.needs:
            queue.append(ordered([app for app in world.apps[other] if app.version in versions], request))
    return [app.name for app in selected]


def test_the_answer_is_the_defined_one_on_every_backend() -> None:
    """Plans are the defined ones; where there is none, all backends tell the same reasons."""
    plans = none = limited = 0
    by_seed: dict[int, list[str]] = {}
    for seed in range(scaled(800)):
        case = world(seed)
        expected = defined(case)
        for backend in BACKENDS:
            try:
                names = [install.name for install in olmsolve.resolve(case.request, backend=backend).installs]
            except Unsatisfiable as failure:
                assert expected is None, (seed, backend)
                reasons = [str(reason) for reason in failure.core]
                by_seed.setdefault(seed, reasons)
                assert reasons == by_seed[seed], (seed, backend)
                limited += any(isinstance(reason, RuleLimits) for reason in failure.core)
            else:
                assert names == expected, (seed, backend)
        plans += expected is not None
        none += expected is None
    assert min(plans, none, limited) > scaled(800) // 12


def test_each_reason_is_needed_and_models_of_clauses_decode() -> None:
    """Without a rule that a core names there is a plan; the preferred plan's selection is a model of the clauses."""
    lifted = decoded = 0
    for seed in range(scaled(400)):
        request = world(seed).request
        compiled = olmsolve.compile(request)
        numbers = {str(variable.stands_for): variable.number for variable in compiled.variables()}
        try:
            plan = olmsolve.resolve(request)
        except Unsatisfiable as failure:
            for reason in failure.core:
                if isinstance(reason, RuleLimits):
                    others = tuple(rule for rule in request.house_rules if rule != reason.rule)
                    explanation = olmsolve.explanation(failure)
                    fixed = any(
                        f"lift the house rule {reason.rule.name!r}" in str(fix) for fix in explanation.fixes or ()
                    )
                    # Other conflicts may remain without the rule, and then lifting it alone is no way out.
                    assert fixed or not olmsolve.is_satisfiable(attrs.evolve(request, house_rules=others)), seed
                    assert olmsolve.explanation_text(explanation)
                    lifted += fixed
        else:
            model = [numbers[str(install.candidate)] for install in plan.installs]
            assert compiled.decode(model).plan.installs == plan.installs, seed
            decoded += 1
    assert min(lifted, decoded) > scaled(400) // 15
