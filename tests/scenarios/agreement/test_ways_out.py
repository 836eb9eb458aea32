"""No way out does harm: the printed commands, carried out on the objects as an administrator would, stop nothing.

The commands are read from what is printed and applied to the manifests, without the code that found the ways; then the
cluster is simulated, as it was and as it is then.
"""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import read_manifests
from olmsolve.lifecycle.ways_out import cluster_ways_out, still_works, working
from olmsolve.render import cluster_change_commands, fix_commands
from tests.conformance.cluster_runs import runs
from tests.scale import sampled
from tests.scenarios.agreement.stuck import CATALOG, ONE, STUCK, TWO, newer_operator, pending, plan
from tests.simulation.small_clusters import catalog_blobs, group, operator

Manifest = dict[str, Any]

# The recorded steps of the real OLM, by name: what stood before its answer. The short run takes one in eight.
RECORDED: Final = {f"{run['scenario']}/{run['step']}": run for run in sampled(runs(), 8)}


class Cluster:
    """The manifests of a cluster, and the contents of its catalogs."""

    def __init__(self, manifests: Iterable[Manifest], contents: dict[str, Catalog]) -> None:
        self.manifests = [copy.deepcopy(manifest) for manifest in manifests]
        self.contents = contents

    @property
    def state(self) -> ClusterState:
        return ClusterState.of(read_manifests((manifest, None) for manifest in self.manifests))

    @property
    def situation(self) -> olmsolve.Situation:
        return olmsolve.Situation.of_cluster(self.state, self.contents)

    def end(self) -> ClusterState:
        """The cluster at rest."""
        return olmsolve.simulate(self.situation).state

    def administered(self, commands: Sequence[str]) -> Cluster:
        """The cluster after somebody has typed *commands*."""
        cluster = Cluster(self.manifests, self.contents)
        files: dict[str, Manifest] = {}
        for command in commands:
            if not command.startswith("#"):
                cluster._type(command, files)
        return cluster

    def _type(self, command: str, files: dict[str, Manifest]) -> None:
        text, _, file = command.partition(" > ")
        given, _, piped = text.partition(" | ")
        words = shlex.split(piped or given)
        assert words[0] == "kubectl"
        verb, rest = words[1], words[2:]
        options = dict(zip(rest, [*rest[1:], ""], strict=True))
        namespace = options.get("--namespace", "")
        if verb == "get" and file:
            files[file] = copy.deepcopy(self._named(rest[0], rest[1], namespace))
        elif verb == "create" and rest[0] == "serviceaccount":
            about = {"name": rest[1], "namespace": namespace}
            self.manifests.append({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": about})
        elif verb == "create":
            object_ = files[options["--filename"]] if not piped else json.loads(shlex.split(given)[1])
            self.manifests.append({name: value for name, value in object_.items() if name != "status"})
        elif verb == "delete":
            self.manifests.remove(self._named(rest[0], rest[1], namespace))
        elif verb == "patch":
            target, patch = self._named(rest[0], rest[1], namespace), json.loads(options["--patch"])
            # Without --subresource, the API server leaves the status alone.
            (part,) = patch
            assert (part == "status") is (options.get("--subresource") == "status")
            target[part] = _merged(target.get(part), patch[part])
            if target["metadata"].get("deletionTimestamp") and not target["metadata"].get("finalizers"):
                self.manifests.remove(target)
        else:
            assert verb in ("get", "auth"), command

    def _named(self, kind: str, name: str, namespace: str) -> Manifest:
        for manifest in self.manifests:
            about = manifest["metadata"]
            if (manifest["kind"].lower(), about["name"], about.get("namespace", "")) == (
                kind.split(".")[0],
                name,
                namespace,
            ):
                return manifest
        raise AssertionError(f"{kind} {namespace}/{name} is not there")


def _merged(value: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for name, change in patch.items():
        merged[name] = _merged(merged.get(name), change)
    return {name: part for name, part in merged.items() if part is not None}


def _ways(cluster: Cluster) -> Iterator[tuple[str, list[str]]]:
    """Every way out that a command prints for the cluster: what it says, and its commands."""
    situation = cluster.situation
    assert situation.cluster is not None
    for question in situation.questions:
        hindrances = list(situation.cluster.hindrances(question.name))
        try:
            resolution = olmsolve.resolve(question.request())
            assert isinstance(resolution, olmsolve.Resolution)
            hindrances += olmsolve.lifecycle.planning.answer_hindrances(situation.cluster, resolution, question.name)
        except olmsolve.ResolutionFailure as failure:
            for fix in olmsolve.explanation(failure).fixes or ():
                yield str(fix), fix_commands(fix)
        except olmsolve.OlmsolveError:
            pass
        for way in cluster_ways_out(situation.cluster, question.name, hindrances):
            yield str(way.change), cluster_change_commands(way.change)


def _check(cluster: Cluster) -> list[str]:
    before, without = cluster.state, cluster.end()
    works = {key for key in working(before) if still_works(key, before, without)}
    ways = []
    for text, commands in _ways(cluster):
        ways.append(text)
        if commands:
            after = cluster.administered(commands).end()
            stopped = [key for key in works if not still_works(key, before, after)]
            assert not stopped, f"{text} stops {stopped}: {commands}"
    return ways


@pytest.mark.parametrize("name", STUCK)
def test_no_way_out_of_a_stuck_cluster_stops_what_works(name: str, tmp_path: Path) -> None:
    """The printed commands, typed by somebody who reads nothing else."""
    stuck = STUCK[name]()
    arguments = stuck.arguments(tmp_path)
    manifests = json.loads(Path(arguments[1]).read_text("utf-8"))["items"]
    _check(Cluster(manifests, {"olm/main": from_blobs(catalog_blobs(**stuck.packages))}))


@pytest.mark.parametrize("name", RECORDED)
def test_no_way_out_of_a_recorded_cluster_stops_what_works(name: str) -> None:
    """What the real OLM was stuck in."""
    run = RECORDED[name]
    contents = {key: from_blobs(blobs) for key, blobs in run["contents"].items() if blobs is not None}
    if len(contents) == len(run["contents"]):
        _check(Cluster(run["before"], contents))


def test_a_failed_plan_whose_operator_is_there_waits_for_a_newer_version() -> None:
    """As recorded, OLM writes no plan for an operator that is there, also where the failed one is deleted."""
    failed = plan("install-2", "e.v2.0.0", "Failed", message="it contains invalid data")
    newer = newer_operator(phase="Pending", reason="RequirementsNotMet")
    objects = (
        group("ns"),
        pending("install-2", has="2.0.0"),
        newer,
        operator("ns", "e", ONE, phase="Replacing"),
        failed,
    )
    ways = _check(Cluster((CATALOG, *objects), {"olm/main": from_blobs(catalog_blobs(e=[ONE, TWO]))}))
    assert "wait: a version that replaces the failed one gets a plan of its own" in ways
    assert not any("delete install plan" in way for way in ways)
