"""Builders write what their one line says, and refuse what it cannot mean."""

from __future__ import annotations

import pytest

from olmsolve import RequestError, resolve
from olmsolve.catalog import fbc
from olmsolve.testing import catalog_of, outline, package, request_for

CHAIN = package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4")


def test_a_chain_is_one_text() -> None:
    """Each version replaces the one before it, as the arrow says."""
    catalog = catalog_of(CHAIN)
    entries = catalog.packages["etcd"].channels["stable"].entries
    assert [(entry.name, entry.replaces) for entry in entries] == [
        ("etcd.v0.9.0", ""),
        ("etcd.v0.9.2", "etcd.v0.9.0"),
        ("etcd.v0.9.4", "etcd.v0.9.2"),
    ]
    assert catalog.packages["etcd"].default_channel == "stable"


def test_a_version_in_parentheses_is_skipped() -> None:
    """The next version skips it, and replaces what stands below it."""
    catalog = catalog_of(package("a").channel("stable", "1.0.0 < (1.0.1) < (1.0.2) < 1.0.3", skip_range="<1.0.3"))
    head = catalog.packages["a"].channels["stable"].entries[-1]
    assert (head.name, head.replaces) == ("a.v1.0.3", "a.v1.0.0")
    assert (head.skips, head.skip_range) == (("a.v1.0.1", "a.v1.0.2"), "<1.0.3")


@pytest.mark.parametrize("chain", ["", "1.0.0 <", "1.0.0 1.1.0", "(1.0.0", "1.0.0 < (1.1.0)"])
def test_other_texts_are_no_chains(chain: str) -> None:
    """A mistyped chain must not become another one."""
    with pytest.raises(ValueError, match=r"chain"):
        package("a").channel("stable", chain)


def test_builders_leave_each_other_alone() -> None:
    """A package that two catalogs are built of is the same in both."""
    with_api = CHAIN.provides("etcd.example.com/v1/Cluster")
    assert catalog_of(CHAIN) != catalog_of(with_api)
    assert catalog_of(CHAIN) == catalog_of(package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4"))


def test_statements_belong_to_one_version_or_to_all() -> None:
    """*at* names the version; the outline shows who says what."""
    catalog = catalog_of(
        CHAIN.requires("vault", ">=1.0.0", at="0.9.4").labelled("certified").deprecated(at="0.9.0"),
        package("vault").channel("stable", "1.0.0").constrained({"gvk": {"group": "g", "version": "v1", "kind": "K"}}),
    )
    assert outline(catalog) == (
        "package etcd, default channel stable\n"
        "  stable: etcd.v0.9.0 < etcd.v0.9.2 < etcd.v0.9.4\n"
        '  etcd.v0.9.0 has olm.label {"label": "certified"}\n'
        '  etcd.v0.9.2 has olm.label {"label": "certified"}\n'
        "  etcd.v0.9.4 requires package vault in >=1.0.0\n"
        '  etcd.v0.9.4 has olm.label {"label": "certified"}\n'
        "  deprecated: etcd.v0.9.0\n"
        "package vault, default channel stable\n"
        "  stable: vault.v1.0.0\n"
        "  vault.v1.0.0 requires the API g/v1/K"
    )
    with pytest.raises(ValueError, match=r"no version 9\.9\.9: it has 0\.9\.0"):
        CHAIN.labelled("x", at="9.9.9").blobs()


def test_a_request_in_one_line() -> None:
    """An installed bundle of a wished package belongs to its subscription, and is updated along the chain."""
    request = request_for(catalog_of(CHAIN), "etcd@stable", installed="etcd.v0.9.0")
    assert [install.name for install in resolve(request).installs] == ["etcd.v0.9.2"]
    unowned = request_for(catalog_of(CHAIN, package("vault").channel("s", "1.0.0")), "vault", installed="etcd.v0.9.0")
    assert [install.name for install in resolve(unowned).installs] == ["vault.v1.0.0"]
    first = request_for(catalog_of(CHAIN), "etcd@stable=etcd.v0.9.0")
    assert [install.name for install in resolve(first).installs] == ["etcd.v0.9.0"]


@pytest.mark.parametrize("wish", ["", "@stable"])
def test_other_wishes_are_refused(wish: str) -> None:
    """A wish is written as on the command line."""
    with pytest.raises(RequestError, match="for example etcd@stable"):
        request_for(catalog_of(CHAIN), wish)


def test_unknown_installed_bundles_are_refused() -> None:
    """A mistyped name must not become an operator without properties."""
    with pytest.raises(RequestError, match="no package of the catalog has this bundle"):
        request_for(catalog_of(CHAIN), "etcd", installed="nonesuch")


def test_built_catalogs_can_be_written() -> None:
    """A built catalog is an ordinary one: its blobs make the same catalog again."""
    catalog = catalog_of(CHAIN.provides("g/v1/K"))
    assert fbc.from_blobs(fbc.blobs(catalog)) == catalog
