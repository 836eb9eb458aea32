"""Hypothesis strategies for all that catalogs and requests consist of; they need the extra ``testing``.

Every strategy is made of Hypothesis's own primitives, so a failing example shrinks to a few lines: the first package
of the vocabulary, one bundle, the range ``>=0.0.0``. Strategies that draw parts of documents draw them as JSON values;
:func:`catalogs`, :func:`requests` and :func:`extension_requests` draw values of olmsolve, and note them as an outline
that a failing test prints.

Read ``grammars`` (texts), ``content`` (properties, constraints, bundles, channels, catalogs), ``wishes``
(requests, variations of somebody's own catalog, and the objects of clusters).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.testing.strategies.content import bundles as bundles
    from olmsolve.testing.strategies.content import catalogs as catalogs
    from olmsolve.testing.strategies.content import channels as channels
    from olmsolve.testing.strategies.content import constraints as constraints
    from olmsolve.testing.strategies.content import packages as packages
    from olmsolve.testing.strategies.content import predicates as predicates
    from olmsolve.testing.strategies.content import properties as properties
    from olmsolve.testing.strategies.grammars import blang_ranges as blang_ranges
    from olmsolve.testing.strategies.grammars import cel_rules as cel_rules
    from olmsolve.testing.strategies.grammars import json_values as json_values
    from olmsolve.testing.strategies.grammars import masterminds_ranges as masterminds_ranges
    from olmsolve.testing.strategies.grammars import plain_rules as plain_rules
    from olmsolve.testing.strategies.grammars import property_lists as property_lists
    from olmsolve.testing.strategies.grammars import versions as versions
    from olmsolve.testing.strategies.wishes import clusters as clusters
    from olmsolve.testing.strategies.wishes import extension_requests as extension_requests
    from olmsolve.testing.strategies.wishes import requests as requests
    from olmsolve.testing.strategies.wishes import variations as variations
else:
    _imported, __dir__ = lazily(__name__)

    def __getattr__(name: str) -> object:
        try:
            return _imported(name)
        except ModuleNotFoundError as error:
            if error.name != "hypothesis":
                raise
            reason = f"olmsolve.testing.{name} needs Hypothesis: pip install 'olmsolve[testing]'"
            raise ModuleNotFoundError(reason, name="hypothesis") from None
