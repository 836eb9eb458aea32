"""Help for other people's tests: strategies, builders, laws and assertions, and a brute-force reference.

The names of this door are the kit (docs/testing.md): Hypothesis strategies (the extra ``testing``), builders of small
catalogs, laws of answers to run over requests of one's own, and assertions. A pytest plugin has fixtures.

:mod:`olmsolve.testing.random_requests` makes requests from a seeded generator and needs no other package;
:mod:`olmsolve.testing.synthetic` makes catalogs of any size, dense ones and ones shaped like real catalogs;
:mod:`olmsolve.testing.fleets` draws recorded clusters that age on a catalog;
:mod:`olmsolve.testing.backends` checks SAT solvers that are to answer requests;
:mod:`olmsolve.testing.fuzzing` implements ``fuzz``, which checks all laws on random requests over one's own catalogs;
:mod:`olmsolve.testing.reference` resolves small requests by definition, as an oracle for the resolver.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.reducing import anonymised as anonymised
    from olmsolve.answers.reducing import reduced as reduced
    from olmsolve.answers.reducing import same_core as same_core
    from olmsolve.answers.reducing import same_difference as same_difference
    from olmsolve.answers.reducing import same_outcome as same_outcome
    from olmsolve.requests import PackageBuilder as PackageBuilder
    from olmsolve.requests import catalog_of as catalog_of
    from olmsolve.requests import package as package
    from olmsolve.requests import request_for as request_for
    from olmsolve.testing import backends as backends
    from olmsolve.testing import fuzzing as fuzzing
    from olmsolve.testing import laws as laws
    from olmsolve.testing import random_requests as random_requests
    from olmsolve.testing import reference as reference
    from olmsolve.testing import strategies as strategies
    from olmsolve.testing import synthetic as synthetic
    from olmsolve.testing import timing as timing
    from olmsolve.testing.assertions import assert_installs as assert_installs
    from olmsolve.testing.assertions import assert_unsatisfiable as assert_unsatisfiable
    from olmsolve.testing.fleets import FleetShape as FleetShape
    from olmsolve.testing.fleets import catalog_source as catalog_source
    from olmsolve.testing.fleets import cluster_service_version as cluster_service_version
    from olmsolve.testing.fleets import fleet as fleet
    from olmsolve.testing.fleets import next_version as next_version
    from olmsolve.testing.fleets import operator_group as operator_group
    from olmsolve.testing.fleets import subscription_object as subscription_object
    from olmsolve.testing.fuzzing import FuzzFinding as FuzzFinding
    from olmsolve.testing.fuzzing import FuzzReport as FuzzReport
    from olmsolve.testing.fuzzing import fuzz as fuzz
    from olmsolve.testing.fuzzing import replay as replay
    from olmsolve.testing.laws import EXTENSION_LAWS as EXTENSION_LAWS
    from olmsolve.testing.laws import LAWS as LAWS
    from olmsolve.testing.laws import broken_constraints as broken_constraints
    from olmsolve.testing.laws import check_backends as check_backends
    from olmsolve.testing.laws import check_certificate as check_certificate
    from olmsolve.testing.laws import check_constraints as check_constraints
    from olmsolve.testing.laws import check_core as check_core
    from olmsolve.testing.laws import check_document as check_document
    from olmsolve.testing.laws import check_extension_document as check_extension_document
    from olmsolve.testing.laws import check_extension_order as check_extension_order
    from olmsolve.testing.laws import check_extension_repeated as check_extension_repeated
    from olmsolve.testing.laws import check_extension_rest as check_extension_rest
    from olmsolve.testing.laws import check_extension_unrelated as check_extension_unrelated
    from olmsolve.testing.laws import check_extension_unselected as check_extension_unselected
    from olmsolve.testing.laws import check_fixes as check_fixes
    from olmsolve.testing.laws import check_laws as check_laws
    from olmsolve.testing.laws import check_order as check_order
    from olmsolve.testing.laws import check_preferred as check_preferred
    from olmsolve.testing.laws import check_priority as check_priority
    from olmsolve.testing.laws import check_range as check_range
    from olmsolve.testing.laws import check_ranges as check_ranges
    from olmsolve.testing.laws import check_reading as check_reading
    from olmsolve.testing.laws import check_renamed as check_renamed
    from olmsolve.testing.laws import check_repeated as check_repeated
    from olmsolve.testing.laws import check_rest as check_rest
    from olmsolve.testing.laws import check_rule as check_rule
    from olmsolve.testing.laws import check_semantics as check_semantics
    from olmsolve.testing.laws import check_unrelated as check_unrelated
    from olmsolve.testing.laws import check_unselected as check_unselected
    from olmsolve.testing.laws import check_warm as check_warm
    from olmsolve.testing.outlining import outline as outline
    from olmsolve.testing.random_requests import COMPOUND as COMPOUND
    from olmsolve.testing.random_requests import DENSE as DENSE
    from olmsolve.testing.random_requests import SMALL as SMALL
    from olmsolve.testing.random_requests import WIDE as WIDE
    from olmsolve.testing.random_requests import RequestShape as RequestShape
    from olmsolve.testing.random_requests import classic_request as classic_request
    from olmsolve.testing.random_requests import random_constraint as random_constraint
    from olmsolve.testing.random_requests import random_document as random_document
    from olmsolve.testing.random_requests import random_house_rules as random_house_rules
    from olmsolve.testing.random_requests import random_request as random_request
    from olmsolve.testing.reference import ReferenceSearch as ReferenceSearch
    from olmsolve.testing.reference import Selected as Selected
    from olmsolve.testing.reference import TooLarge as TooLarge
    from olmsolve.testing.strategies import blang_ranges as blang_ranges
    from olmsolve.testing.strategies import bundles as bundles
    from olmsolve.testing.strategies import catalogs as catalogs
    from olmsolve.testing.strategies import cel_rules as cel_rules
    from olmsolve.testing.strategies import channels as channels
    from olmsolve.testing.strategies import clusters as clusters
    from olmsolve.testing.strategies import constraints as constraints
    from olmsolve.testing.strategies import extension_requests as extension_requests
    from olmsolve.testing.strategies import masterminds_ranges as masterminds_ranges
    from olmsolve.testing.strategies import packages as packages
    from olmsolve.testing.strategies import predicates as predicates
    from olmsolve.testing.strategies import properties as properties
    from olmsolve.testing.strategies import requests as requests
    from olmsolve.testing.strategies import variations as variations
    from olmsolve.testing.strategies import versions as versions
    from olmsolve.testing.timing import BenchReport as BenchReport
    from olmsolve.testing.timing import bench as bench
    from olmsolve.testing.varying import Variation as Variation
    from olmsolve.testing.vocabulary import Vocabulary as Vocabulary
else:
    __getattr__, __dir__ = lazily(__name__)
