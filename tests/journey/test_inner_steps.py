"""Two steps of the search that the answer shows in rare cases only: each is asked of its module.

A bound that is too low makes the search longer and no journey worse, and a simulation that is cut short takes thousands
of rounds.
"""

from __future__ import annotations

import olmsolve
from olmsolve import Ending, Simulation
from olmsolve.cluster import ClusterState
from olmsolve.lifecycle.journey import stages_between
from olmsolve.lifecycle.journey.bounds import PackageStages
from olmsolve.lifecycle.journey.namespaces import _unsettled
from olmsolve.requests import package
from olmsolve.testing import catalog_of


def test_a_simulation_that_was_cut_short_is_no_rest() -> None:
    """Without a circle to show, every namespace is one that does not come to rest."""
    cut = Simulation((), Ending.LIMIT, ClusterState(), ())
    assert [*_unsettled(cut, ["shop"], {})] == [("shop", "it does not come to rest")]


def test_each_catalog_says_where_a_bundle_works() -> None:
    """A bundle that says something else in a later catalog works with fewer versions from there on."""
    plain, limited = package("ledger").channel("stable", "1.0.0"), package("ledger").channel("stable", "1.0.0")
    old, new = catalog_of(plain), catalog_of(limited.having("olm.maxOpenShiftVersion", "4.19"))
    stages = stages_between("4.18", "4.20", {"olm/main": old}, {"4.19": {"olm/main": new}}, olmsolve.load, eus=False)
    offers = PackageStages(stages, "olm/main", "ledger")
    assert [sorted(offers.supported(number, "ledger.v1.0.0")) for number in range(3)] == [[0, 1, 2], [0, 1], [0, 1]]
