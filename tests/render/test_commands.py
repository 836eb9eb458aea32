"""Ways out as commands: what people paste into a shell must do what the sentence says, and nothing else."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

import olmsolve
from olmsolve import Subscription, Unsatisfiable
from olmsolve.answers.explain import (
    AcceptDeprecated,
    ChangeCatalog,
    ChangeChannel,
    ChangePackage,
    ChangeStart,
    DropSubscription,
    ExcludeGlobalCatalogs,
    RemoveOperator,
    RepairCatalog,
    RequestChange,
    SettleUpdate,
)
from olmsolve.answers.questions import AddSubscription, Together
from olmsolve.render import change_commands, fix_commands, subscription_patch
from tests.scenarios.notation import request_document


@pytest.mark.parametrize(
    ("change", "spec"),
    [
        (ChangeStart("app", "app.v1.0.0"), {"startingCSV": "app.v1.0.0"}),
        # A merge patch removes a field by null.
        (ChangeStart("app", ""), {"startingCSV": None}),
        (ChangeChannel("app", "fast"), {"channel": "fast"}),
        (ChangePackage("app", "apps"), {"name": "apps"}),
        (ChangeCatalog("app", "more", "olm"), {"source": "more", "sourceNamespace": "olm"}),
    ],
)
def test_changes_of_a_subscription_are_merge_patches(change: RequestChange, spec: dict[str, Any]) -> None:
    """The patch names the fields of the Subscription, whose field for the package is called name."""
    assert subscription_patch(change) == {"spec": spec}
    (command,) = change_commands(change, "team")
    words = shlex.split(command)
    assert words[:-1] == [
        *("kubectl", "patch", "subscription.operators.coreos.com", "app"),
        *("--namespace", "team", "--type", "merge", "--patch"),
    ]
    assert json.loads(words[-1]) == {"spec": spec}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (DropSubscription("app"), "delete subscription.operators.coreos.com app --namespace team"),
        (RemoveOperator("app.v1.0.0"), "delete clusterserviceversion.operators.coreos.com app.v1.0.0 --namespace team"),
    ],
)
def test_removals(change: RequestChange, words: str) -> None:
    """In the namespace of the request."""
    assert change_commands(change, "team") == [f"kubectl {words}"]
    assert subscription_patch(change) is None


def test_a_catalog_is_looked_at_and_not_deleted() -> None:
    """It may fail for a moment only, and other namespaces may need it."""
    assert change_commands(RepairCatalog("broken", "olm"), "team") == [
        "# repair catalog olm/broken, which cannot be read: its pod and its state say why",
        "kubectl get catalogsource.operators.coreos.com broken --namespace olm -o yaml",
        "kubectl get pods --namespace olm --selector olm.catalogSource=broken",
    ]
    [annotate] = change_commands(ExcludeGlobalCatalogs("team"), "other")
    assert shlex.split(annotate)[:3] == ["kubectl", "annotate", "operatorgroup.operators.coreos.com"]
    assert annotate.endswith(" olm.operatorframework.io/exclude-global-namespace-resolution=true")


def test_an_update_that_is_pending_is_waited_for_or_let_pass() -> None:
    """The override is the one that OLM's documentation names; it takes no operator away."""
    note, command = change_commands(SettleUpdate("app.v1", "app.v2", "refused"), "team")
    assert note.startswith("# ")
    words = shlex.split(command)
    assert words[:5] == ["kubectl", "patch", "operatorcondition.operators.coreos.com", "app.v1", "--namespace"]
    (override,) = json.loads(words[-1])["spec"]["overrides"]
    assert (override["type"], override["status"]) == ("Upgradeable", "True")
    lacking = change_commands(SettleUpdate("app.v1", "app.v2", "lacking"), "team")
    assert lacking[0] == "# provide what the status of app.v2 says is missing, so that it can replace app.v1"
    assert not any("delete" in line for line in lacking)


def test_a_new_subscription_is_created_whole() -> None:
    """The document is the object that the cluster would store."""
    wish = Subscription("app", "team", "app", "fast", "main", "olm", "app.v1.0.0")
    (command,) = change_commands(AddSubscription(wish), "team")
    words = shlex.split(command)
    assert (words[0], words[2:]) == ("echo", ["|", "kubectl", "create", "--filename", "-"])
    assert json.loads(words[1]) == {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": "app", "namespace": "team"},
        "spec": {
            "name": "app",
            "channel": "fast",
            "source": "main",
            "sourceNamespace": "olm",
            "startingCSV": "app.v1.0.0",
        },
    }


def test_what_no_command_does_is_a_comment() -> None:
    """A script that leaves a step out would be taken for the whole way out."""
    changes = Together((ChangeChannel("app", "fast"), AcceptDeprecated("olm/main", "app", "app.v1.0.0")))
    command, comment = change_commands(changes, "team")
    assert command.startswith("kubectl patch")
    assert comment.startswith("# accept a deprecated bundle")


@pytest.mark.parametrize("name", ["a; rm -rf /", "$(reboot)", "'", "a\nb", "\x1b[2J"])
def test_names_from_catalogs_are_no_commands(name: str) -> None:
    """Channels are named by strangers; a shell must read their names as one word, and nothing on a line of its own."""
    (command,) = change_commands(ChangeChannel("app", name), "team")
    assert command.isprintable()
    assert json.loads(shlex.split(command)[-1]) == {"spec": {"channel": name}}
    for line in change_commands(AcceptDeprecated("olm/main", "app", name), "team"):
        assert line.isprintable()
        assert line.startswith("# ")


def test_fixes() -> None:
    """All changes of a fix, for the namespace of its request."""
    packages = {"app": {"channels": {"stable": "app.v1.0.0"}}}
    wish = {"package": "app", "channel": "stabel"}
    request = olmsolve.read_request(
        request_document({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [wish]})
    )
    with pytest.raises(Unsatisfiable) as failed:
        olmsolve.resolve(request)
    fixes = olmsolve.explanation(failed.value).fixes
    assert fixes is not None
    (command,) = fix_commands(fixes[0])
    assert shlex.split(command)[3:6] == ["app", "--namespace", "team"]
    assert shlex.split(command)[-1] == '{"spec": {"channel": "stable"}}'
