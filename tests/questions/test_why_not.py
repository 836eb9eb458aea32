"""Why not, asked where an answer could mislead: compound constraints, updates, skipped entries, and what to do."""

from __future__ import annotations

import itertools
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import Request, Resolution, Subscription, WhyNot, resolve, why, why_not
from olmsolve.answers.explain import NodeKind
from olmsolve.answers.questions import WhyNotVerdict
from olmsolve.catalog import UnreadableSource
from olmsolve.classic import HealthPolicy
from olmsolve.render import why_not_text, why_text
from tests.scenarios.notation import request_document

ANY_OF = {
    "failureMessage": "a store is needed",
    "any": {
        "constraints": [
            {
                "all": {
                    "constraints": [
                        {"package": {"packageName": "a", "versionRange": ">=1.0.0"}},
                        {"package": {"packageName": "b", "versionRange": ">=1.0.0"}},
                    ]
                }
            },
            {"package": {"packageName": "c", "versionRange": ">=1.0.0"}},
        ]
    },
}


def request_of(
    packages: dict[str, Any], *wishes: dict[str, Any], installed: tuple[dict[str, Any], ...] = ()
) -> Request:
    scenario = {
        "catalogs": {"olm/main": {"packages": packages}},
        "subscriptions": list(wishes),
        "installed": list(installed),
    }
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)
    return request


def plain(chain: str) -> dict[str, Any]:
    return {"channels": {"stable": chain}}


def stores() -> dict[str, Any]:
    app = {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"constraint": ANY_OF}]}}
    no_a = {"constraint": {"not": {"constraints": [{"package": {"packageName": "a", "versionRange": ">=1.0.0"}}]}}}
    no = {"channels": {"stable": "no.v1.0.0"}, "bundles": {"no.v1.0.0": [no_a]}}
    return {
        "app": app,
        "a": plain("a.v1.0.0"),
        "b": plain("b.v2.0.0 > b.v1.0.0"),
        "c": plain("c.v1.0.0"),
        "no": no,
    }


def works(plan: Resolution, answer: WhyNot) -> bool:
    """Return whether the offered change, applied and resolved, selects a candidate of the question."""
    assert plan.context is not None
    assert plan.context.request is not None
    assert answer.change is not None
    changed = resolve(answer.change.apply(plan.context.request))
    names = {install.name for install in changed.installs} | {kept.name for kept in changed.kept}
    return bool(names & {candidate.name for candidate in answer.candidates})


def test_parts_of_one_constraint_are_not_compared_with_each_other() -> None:
    """b 1.0.0 takes the place of b 2.0.0, and not the package that another part of the same constraint wants."""
    plan = resolve(request_of(stores(), {"package": "app"}))
    answer = why_not(plan, "b", version="1.0.0")
    assert answer.verdict is WhyNotVerdict.LESS_PREFERRED
    assert "b.v2.0.0 (stable, olm/main) comes before b.v1.0.0 (stable, olm/main): it is nearer" in answer.reason
    assert works(plan, answer)


def test_what_a_later_alternative_wants_is_less_preferred() -> None:
    """App does ask for c, only after a and b; "nothing asks for it" would be false."""
    plan = resolve(request_of(stores(), {"package": "app"}))
    answer = why_not(plan, "c")
    assert answer.verdict is WhyNotVerdict.LESS_PREFERRED
    assert answer.reason.endswith("the alternative that a.v1.0.0 (stable, olm/main) meets is written first")
    assert works(plan, answer)


def test_a_negation_is_a_reason_and_its_owner_can_be_given_up() -> None:
    """A bundle that another one excludes is impossible; dropping the other's subscription would select it."""
    plan = resolve(request_of(stores(), {"package": "app"}, {"package": "no"}))
    assert [install.name for install in plan.installs] == ["app.v1.0.0", "no.v1.0.0", "c.v1.0.0"]
    answer = why_not(plan, "a")
    assert answer.verdict is WhyNotVerdict.IMPOSSIBLE
    assert str(answer.change) == "delete subscription no"
    assert works(plan, answer)
    assert why_not(plan, "b").verdict is WhyNotVerdict.NOT_ASKED_FOR


def test_two_steps_ahead_of_what_is_installed() -> None:
    """ "Why not the newest?" is mostly answered by the update graph: nothing leads there in one step."""
    packages = {"app": plain("app.v3.0.0 > app.v2.0.0 > app.v1.0.0")}
    owned = {"name": "app.v1.0.0", "owner": "app"}
    plan = resolve(request_of(packages, {"package": "app", "channel": "stable"}, installed=(owned,)))
    answer = why_not(plan, "app", version="3.0.0")
    assert answer.verdict is WhyNotVerdict.LATER
    assert answer.reason.endswith("updates lead to it in 2 steps, the next to app.v2.0.0")
    assert answer.change is None


def test_what_no_update_leads_to() -> None:
    """Only where no updates lead to a bundle, the operator has to go to make room for it."""
    packages = {"app": {"channels": {"stable": "app.v3.0.0 > app.v2.0.0"}}}
    owned = {"name": "app.v1.0.0", "owner": "app", "publishes": []}
    plan = resolve(request_of(packages, {"package": "app", "channel": "stable"}, installed=(owned,)))
    answer = why_not(plan, "app", version="3.0.0")
    assert answer.verdict is WhyNotVerdict.IMPOSSIBLE
    assert answer.reason.endswith("it does not update the installed app.v1.0.0 (it neither replaces nor skips it)")
    assert str(answer.change) == "remove the installed operator app.v1.0.0"
    assert works(plan, answer)


def test_an_operator_that_is_owned_is_given_up_with_its_subscription() -> None:
    """Deleting the subscription alone leaves the operator, which then must stay; both together make room."""
    api = {"provides": "g.example.com/v1/K"}
    packages = {
        "old": {"channels": {"stable": "old.v1.0.0"}, "bundles": {"old.v1.0.0": [api]}},
        "new": {"channels": {"stable": "new.v1.0.0"}, "bundles": {"new.v1.0.0": [api]}},
    }
    owned = {"name": "old.v1.0.0", "owner": "old"}
    plan = resolve(request_of(packages, {"package": "old", "channel": "stable"}, installed=(owned,)))
    answer = why_not(plan, "new")
    assert str(answer.change) == (
        "remove the installed operator old.v1.0.0; and delete subscription old; and "
        "create a subscription for package new, channel stable, catalog olm/main"
    )
    assert works(plan, answer)
    second = why_not(plan, "old", catalog="olm/main")
    assert second.reason.endswith("it is installed already")


def test_what_no_subscription_owns_is_updated_once_one_does() -> None:
    """An operator without a subscription blocks its own updates; owning it is less than uninstalling it."""
    packages = {"app": plain("app.v1.0.0"), "old": plain("old.v2.0.0 > old.v1.0.0")}
    plan = resolve(request_of(packages, {"package": "app"}, installed=({"name": "old.v1.0.0"},)))
    answer = why_not(plan, "old", version="2.0.0")
    assert str(answer.change) == "create a subscription for package old that owns the installed old.v1.0.0"
    assert works(plan, answer)


def test_a_starting_version_that_holds_back_is_removed() -> None:
    """The newest is one startingCSV away; naming it there would only move the same mistake."""
    wish = {"package": "app", "channel": "stable", "startingCSV": "app.v1.0.0"}
    plan = resolve(request_of({"app": plain("app.v2.0.0 > app.v1.0.0")}, wish))
    answer = why_not(plan, "app", version="2.0.0")
    assert str(answer.change) == "remove startingCSV from subscription app"
    assert works(plan, answer)


def test_a_skipped_entry_is_only_a_place_to_begin() -> None:
    """A skipped entry is in no conflict, yet being skipped is the reason."""
    entries = [
        {"name": "app.v3.0.0", "replaces": "app.v1.0.0", "skips": ["app.v2.0.0"]},
        {"name": "app.v2.0.0", "replaces": "app.v1.0.0"},
        {"name": "app.v1.0.0"},
    ]
    plan = resolve(request_of({"app": {"channels": {"stable": entries}}}, {"package": "app", "channel": "stable"}))
    answer = why_not(plan, "app", version="2.0.0")
    assert "another entry of channel stable skips it" in answer.reason
    assert str(answer.change) == "set startingCSV of subscription app to app.v2.0.0"
    assert works(plan, answer)


def test_a_version_of_another_channel_takes_two_changes() -> None:
    """Neither the channel nor the starting version alone selects it, and long channels must not use up the tries."""
    beta = " > ".join(f"app.v2.{number}.0" for number in range(30, -1, -1))
    packages = {"app": {"channels": {"stable": "app.v1.0.0", "beta": beta}}}
    plan = resolve(request_of(packages, {"package": "app", "channel": "stable"}))
    answer = why_not(plan, "app", version="2.7.0")
    assert str(answer.change) == (
        "switch subscription app to channel beta; and set startingCSV of subscription app to app.v2.7.0"
    )
    assert works(plan, answer)
    head = why_not(plan, "app", channel="beta")
    assert str(head.change) == "switch subscription app to channel beta"
    assert works(plan, head)


def test_what_is_deprecated_can_be_accepted() -> None:
    """The bundle is impossible by itself, not beside others, and the change is the one that explanations offer."""
    deprecated = {"type": "olm.deprecated", "value": {}}
    app = {"channels": {"stable": "app.v2.0.0 > app.v1.0.0"}, "bundles": {"app.v2.0.0": [deprecated]}}
    plan = resolve(request_of({"app": app}, {"package": "app"}))
    answer = why_not(plan, "app", version="2.0.0")
    assert answer.reason == "app.v2.0.0 (stable, olm/main) cannot be selected"
    assert str(answer.change).startswith("accept a deprecated bundle")
    assert works(plan, answer)
    assert str(why(plan, "app.v1.0.0").passed_over[0]) == (
        "app.v2.0.0 (stable, olm/main) would come first, but it is deprecated"
    )


def test_what_cannot_be_selected_by_any_change_says_so() -> None:
    """Without a change that helps, the text says so; silence would leave it open."""
    app = {
        "channels": {"stable": "app.v2.0.0 > app.v1.0.0"},
        "bundles": {"app.v2.0.0": [{"needs-package": "gone >=1.0.0"}]},
    }
    answer = why_not(resolve(request_of({"app": app}, {"package": "app"})), "app", version="2.0.0")
    assert answer.change is None
    assert why_not_text(answer).splitlines()[-1] == "None of the changes that were tried selects it."


def test_what_nobody_can_know() -> None:
    """A package may be in an unreadable catalog; no change is offered that the health policy would refuse."""
    packages = {
        "app": plain("app.v1.0.0"),
        "web": {
            "channels": {"stable": "web.v1.0.0"},
            "bundles": {"web.v1.0.0": [{"needs-package": "app >=0.1.0"}]},
        },
        "two": {
            "channels": {"stable": "two.v2.0.0 > two.v1.0.0"},
            "bundles": {"two.v2.0.0": [{"needs-package": "lib >=1.0.0"}]},
        },
        "lib": plain("lib.v1.0.0"),
    }
    request = attrs.evolve(
        request_of(packages, {"package": "app", "channel": "stable"}),
        unreadable=[UnreadableSource("lost", "olm", priority=5, error="no route")],
        health_policy=HealthPolicy.REFERENCED,
    )
    plan = resolve(request)
    assert why_not(plan, "nonesuch").reason == (
        "package nonesuch is not in any visible catalog; the content of olm/lost cannot be read"
    )
    assert why_not(plan, "app", catalog="olm/lost").reason == "catalog olm/lost cannot be read"
    for package in packages:
        answer = why_not(plan, package)
        assert answer.change is None or works(plan, answer)


def test_a_package_that_only_others_can_see() -> None:
    """It is there, in a namespace that this one does not see; "not in any catalog" would send people searching."""
    scenario = {
        "catalogs": {
            "olm/main": {"packages": {"app": plain("app.v1.0.0")}},
            "elsewhere/theirs": {"packages": {"tool": plain("tool.v1.0.0")}},
        },
        "subscriptions": [{"package": "app"}],
    }
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)
    plan = resolve(request)
    assert why_not(plan, "tool").reason == "package tool is only in elsewhere/theirs, not visible in namespace team"
    assert why_not(plan, "tool", catalog="elsewhere/theirs").reason == (
        "catalog elsewhere/theirs is not visible in namespace team"
    )


@pytest.mark.parametrize("count", [5, 300])
def test_reasons_are_bounded(count: int) -> None:
    """Each reason takes a search; a channel of hundreds of impossible versions must not take hundreds of them."""
    versions = [f"app.v1.{number}.0" for number in range(count)]
    bundles = {name: [{"needs-package": "gone >=1.0.0"}] for name in versions[1:]}
    app = {"channels": {"stable": " > ".join(reversed(versions))}, "bundles": bundles}
    plan = resolve(request_of({"app": app}, {"package": "app"}))
    answer = why(plan, "app.v1.0.0", reasons=10)
    assert len(answer.passed_over) == count - 1
    explained = [passed for passed in answer.passed_over if passed.because]
    assert len(explained) == min(10, count - 1)
    assert all("which no bundle provides" in str(passed) for passed in explained)
    assert len(why_text(answer).splitlines()) < 25


def test_a_long_chain_is_told_in_few_lines() -> None:
    """The answer holds a thousand links; its text their ends, and how many are left out."""
    names = [f"p{number:04}" for number in range(1000)]
    packages = {
        name: {
            "channels": {"stable": f"{name}.v1.0.0"},
            "bundles": {f"{name}.v1.0.0": [{"needs-package": f"{following} >=1.0.0"}]},
        }
        for name, following in itertools.pairwise(names)
    }
    packages[names[-1]] = plain(f"{names[-1]}.v1.0.0")
    answer = why(resolve(request_of(packages, {"package": names[0]})), f"{names[-1]}.v1.0.0")
    assert len(answer.chain) == 1000
    lines = why_text(answer).splitlines()
    assert len(lines) < 30
    assert sum("992 more bundles" in line for line in lines) == 1


def test_names_cannot_command_a_terminal() -> None:
    """Names come from catalogs; headings show what a terminal would obey as escapes, like all other lines."""
    name = "app.v1.0.0\x1b[31m\u202e"
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "app", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "app", "name": "stable", "entries": [{"name": name}]},
        {
            "schema": "olm.bundle",
            "package": "app",
            "name": name,
            "properties": [{"type": "olm.package", "value": {"packageName": "app", "version": "1.0.0"}}],
        },
    ]
    source = olmsolve.Source("main", "olm", 0, olmsolve.catalog.fbc.from_blobs(blobs))
    plan = resolve(Request(("team", "olm"), [source], [Subscription("wish", "team", "app")]))
    for text in (why_text(why(plan, name)), why_not_text(why_not(plan, "app")), why_not_text(why_not(plan, name))):
        assert all(line.isprintable() for line in text.splitlines())


def test_what_is_asked_about_is_a_root_of_its_own_kind() -> None:
    """It is no subscription, and nothing "serves" it: the conflict says that it is to be selected, and why it fails."""
    owned = {"name": "app.v1.0.0", "owner": "app"}
    packages = {"app": {"channels": {"stable": "app.v2.0.0 > app.v1.0.0", "fast": "app.v3.0.0"}}}
    plan = resolve(request_of(packages, {"package": "app", "channel": "stable"}, installed=(owned,)))
    answer = why_not(plan, "app", version="3.0.0")
    assert answer.conflict is not None
    questions = [node for node in answer.conflict.nodes if node.kind is NodeKind.QUESTION]
    assert [node.statement for node in questions] == ["app.v3.0.0 (fast, olm/main) is to be selected"]
    lines = why_not_text(answer, width=100).splitlines()
    place = lines.index("  app.v3.0.0 (fast, olm/main) is to be selected:")
    assert lines[place + 1].startswith("    - [6] app.v3.0.0 (fast, olm/main) conflicts with")
    stays = why_not(plan, "app", version="1.0.0")
    assert stays.reason.startswith("app.v1.0.0 (installed and olm/main) could be selected")


def certificates(channels: dict[str, str], channel: str = "stable") -> Resolution:
    """The plan for an operator at 1.15.0, with updates one after the other."""
    package = {"channels": channels}
    installed = ({"name": "certs.v1.15.0", "owner": "certs"},)
    return resolve(request_of({"certs": package}, {"package": "certs", "channel": channel}, installed=installed))


def test_updates_that_come_by_themselves_need_no_change() -> None:
    """Advice to remove an operator that three updates bring to the wanted version would do harm."""
    plan = certificates({"stable": "certs.v1.16.5 > certs.v1.16.0 > certs.v1.15.2 > certs.v1.15.0"})
    answer = why_not(plan, "certs", version="1.16.5")
    assert (answer.verdict, answer.change, answer.plans) == (WhyNotVerdict.LATER, None, 3)
    assert why_not_text(answer, width=200) == (
        "certs.v1.16.5 (stable, olm/main) is not in this plan, "
        "but updates lead to it in 3 steps, the next to certs.v1.15.2."
    )


def test_a_channel_whose_updates_get_there_is_enough() -> None:
    """With the channel switched, updates do the rest: the operator can stay while they do."""
    plan = certificates({"stable": "certs.v1.15.0", "fast": "certs.v1.16.5 > certs.v1.16.0 > certs.v1.15.0"})
    answer = why_not(plan, "certs", version="1.16.5")
    assert (str(answer.change), answer.plans) == ("switch subscription certs to channel fast", 2)
    assert why_not_text(answer).splitlines()[-2:] == [
        "To select it: switch subscription certs to channel fast; updates then lead to it",
        "  in 2 steps.",
    ]
