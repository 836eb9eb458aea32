"""Ways out that lead into a dead end: a plan that could be carried out, after which nothing is resolved any more."""

from __future__ import annotations

import attrs
import pytest

from olmsolve import Request, Unsatisfiable, explanation, resolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs
from olmsolve.testing import catalog_of, package, request_for
from olmsolve.testing.laws import check_fixes
from tests.explain.requests import failure_of, request_from


def forked(*channels: str) -> Catalog:
    """A package whose channel "two" has two heads, and that is in order in the other *channels*."""
    entries = [{"name": "db.v1.0.0"}, {"name": "db.v1.1.0"}]
    ordered = [entries[0], {**entries[1], "replaces": "db.v1.0.0"}]
    listed = {"two": entries, **dict.fromkeys(channels, ordered)}
    return from_blobs(
        [
            {"schema": "olm.package", "name": "db", "defaultChannel": "two"},
            *(
                {"schema": "olm.channel", "package": "db", "name": name, "entries": chain}
                for name, chain in listed.items()
            ),
            *({"schema": "olm.bundle", "package": "db", "name": entry["name"], "properties": []} for entry in entries),
        ]
    )


def started(catalog: Catalog) -> Request:
    """Begin with an old bundle of the channel "two", beside a subscription that nothing can serve."""
    request = request_for(catalog, "db", "nothing")
    [own], [first, second] = request.sources, request.subscriptions
    named = {"source": own.name, "source_namespace": own.namespace}
    first = attrs.evolve(first, channel="two", starting_csv="db.v1.0.0", **named)
    return attrs.evolve(request, subscriptions=[first, second])


@pytest.mark.parametrize(
    ("channels", "fixes"),
    [
        ((), ["delete subscription nothing; delete subscription db"]),
        (("fast",), ["delete subscription nothing; switch subscription db to channel fast"]),
    ],
)
def test_a_start_in_a_channel_without_an_order_is_moved_or_given_up(
    channels: tuple[str, ...], fixes: list[str]
) -> None:
    """A startingCSV is installed from such a channel, and then the namespace is stranded, so that alone is no fix."""
    request = started(forked(*channels))
    with pytest.raises(Unsatisfiable) as raised:
        resolve(request)
    all_fixes = explanation(raised.value).fixes
    assert all_fixes is not None
    assert ["; ".join(map(str, fix.changes)) for fix in all_fixes][: len(fixes)] == fixes
    check_fixes(request)


def test_a_catalog_that_leads_back_whatever_is_done_leaves_a_way_out() -> None:
    """The update to a lower version is the catalog's doing, and no reason to offer nothing for the other conflict."""
    stable = [{"name": "app.v1.0.0", "skipRange": "<3.0.0"}]
    scenario = {
        "catalogs": {"olm/main": {"packages": {"app": {"channels": {"stable": stable, "old": "app.v2.0.0"}}}}},
        "installed": [{"name": "app.v2.0.0", "owner": "app"}],
        "subscriptions": [{"package": "app", "channel": "stable"}, {"package": "nothing"}],
    }
    fixes = explanation(failure_of(request_from(scenario))).fixes
    assert [[str(change) for change in fix.changes] for fix in fixes or ()] == [["delete subscription nothing"]]


@pytest.mark.parametrize(("rivals", "changes"), [(8, 7), (10, None)])
def test_at_most_three_changes_are_added_to_one_for_each_conflict(rivals: int, changes: int | None) -> None:
    """Of ten operators for one API nine must go: five pairs are in conflict, and four more are too many to try."""
    names = [f"rival{number}" for number in range(rivals)]
    built = [package(name).channel("stable", "1.0.0").provides("example.com/v1/Only") for name in names]
    fixes = explanation(failure_of(request_for(catalog_of(*built), *names)), tries=2000).fixes
    assert {len(fix.changes) for fix in fixes or ()} == ({changes} if changes else set())
