"""Clusters for pages: a small one with every state, a large one, and one whose names come from a stranger."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

import yaml

from tests.scenarios.dumps.files import cluster_arguments

__all__ = ["HOSTILE", "hostile_arguments", "large", "small"]

HOSTILE: Final = '</script><img src=x onerror="document.title=1">\u202e'

_SMALL = """
catalogs:
  olm/community:
    priority: 10
    packages:
      ledger:
        channels: {stable: ledger.v1.2.0 > ledger.v1.1.0 > ledger.v1.0.0}
        bundles:
          ledger.v1.1.0: [needs: keys.example.com/v1/KeyRing]
          ledger.v1.2.0: [needs: keys.example.com/v1/KeyRing]
      keyring:
        channels: {stable: keyring.v1.1.0 > keyring.v1.0.0}
        bundles: {keyring.v1.1.0: [provides: keys.example.com/v1/KeyRing]}
      press: {channels: {stable: press.v3.0.0 > press.v2.0.0, fast: press.v4.0.0}}
      binder: {channels: {stable: binder.v2.1.0 > binder.v2.0.0}}
      orders: {channels: {stable: orders.v1.0.0}, bundles: {orders.v1.0.0: [needs: queue.example.com/v1/Broker]}}
      billing: {channels: {stable: billing.v2.0.0 > billing.v1.0.0}}
groups: {bank: [bank], books: [books], print: [print], shop: [shop], operators/global-operators: all}
subscriptions:
  bank/ledger: {from: olm/community, has: ledger.v1.0.0}
  shop/orders: {from: olm/community}
  shop/billing: {from: olm/community, has: billing.v1.0.0}
  print/press:
    {from: olm/community, has: press.v2.0.0, manual: true, next: press.v3.0.0, plan: install-8xk2p, generation: 2}
  books/binder: {from: olm/community, has: binder.v2.1.0}
  operators/press: {from: olm/community, has: press.v3.0.0}
operators:
  books/binder.v2.1.0: {phase: Failed, reason: ComponentUnhealthy, message: "deployment binder not ready"}
plans:
  print/install-first: {of: [press.v2.0.0]}
  print/install-8xk2p: {of: {press.v3.0.0: press.v2.0.0}, phase: RequiresApproval, generation: 2}
clusterCatalogs:
  operatorhub:
    priority: 10
    packages:
      etcd: {channels: {stable: etcd.v1.2.0 > etcd.v1.1.0 > etcd.v1.0.0, edge: etcd.v2.0.0}}
      redis: {channels: {stable: redis.v7.2.0}}
      vault: {channels: {stable: vault.v1.1.0}}
extensions:
  database: {package: etcd, channels: [stable], has: etcd.v1.0.0}
  cache: {package: redis, version: 9.x}
  secrets: {package: vault, has: vault.v1.1.0}
"""


def small() -> dict[str, Any]:
    """A cluster in which operators and extensions are in each state that a page tells apart."""
    cluster: dict[str, Any] = yaml.safe_load(_SMALL)
    return cluster


def large(subscriptions: int, extensions: int, namespaces: int = 100) -> dict[str, Any]:
    """A cluster of this size, in which a ninth of the namespaces fail and every second operator has updates to get."""
    chance = random.Random(3)
    classic: dict[str, Any] = {}
    v1: dict[str, Any] = {}
    scenario: dict[str, Any] = {"groups": {}, "subscriptions": {}, "operators": {}, "extensions": {}}
    for number in range(subscriptions):
        name, space, newest = f"operator-{number:03}", f"team-{number % namespaces:02}", chance.randint(2, 5)
        classic[name] = _package(name, newest)
        given: dict[str, Any] = {"from": "olm/community", "has": f"{name}.v1.{chance.choice([0, newest])}.0"}
        if number % (9 * namespaces // 10) == 4:
            del given["has"]
            needs = [{"needs": f"group{number}.example.com/v1/Thing"}]
            classic[name]["bundles"] = {f"{name}.v1.{minor}.0": needs for minor in range(newest + 1)}
        elif number % 30 == 7:
            message = "waiting for deployment to become ready"
            failed = {"phase": "Failed", "reason": "ComponentUnhealthy", "message": message}
            scenario["operators"][f"{space}/{given['has']}"] = failed
        scenario["groups"][space] = [space]
        scenario["subscriptions"][f"{space}/{name}"] = given | ({"manual": True} if number % 20 == 3 else {})
    for number in range(extensions):
        name, newest = f"extension-{number:03}", chance.randint(2, 5)
        v1[name] = _package(name, newest)
        has = f"{name}.v1.{chance.choice([0, newest])}.0"
        wish = {"version": "9.x"} if number % 25 == 7 else {}
        scenario["extensions"][name] = {"package": name, "channels": ["stable"], "has": has, **wish}
    catalogs = {"catalogs": {"olm/community": {"packages": classic}}}
    return scenario | catalogs | {"clusterCatalogs": {"operatorhub": {"packages": v1}}}


def _package(name: str, newest: int) -> dict[str, Any]:
    chain = " > ".join(f"{name}.v1.{minor}.0" for minor in range(newest, -1, -1))
    return {"channels": {"stable": chain, "fast": f"{name}.v2.0.0"}}


def hostile_arguments(folder: Path) -> tuple[str, ...]:
    """Write the small cluster with a stranger's names, channels, namespaces and messages; return its options."""
    arguments = cluster_arguments(small(), folder)
    escaped = json.dumps(HOSTILE)[1:-1]
    for file in folder.glob("*.json"):
        text = file.read_text("utf-8")
        for name in ("ledger", "keyring", "stable", "print", "orders", "etcd", "secrets", "binder not ready"):
            text = text.replace(name, name + escaped)
        file.write_text(text, "utf-8")
    return arguments
