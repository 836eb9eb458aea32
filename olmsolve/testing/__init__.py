"""Help for other people's tests: generators of requests, a brute-force reference, and checks of backends.

:mod:`olmsolve.testing.random_requests` makes requests from a seeded generator and needs no other package;
:mod:`olmsolve.testing.strategies` draws the same requests with hypothesis (the ``testing`` extra);
:mod:`olmsolve.testing.synthetic` makes catalogs of any size, dense ones and ones shaped like real catalogs;
:mod:`olmsolve.testing.backends` checks SAT solvers that are to answer requests;
:mod:`olmsolve.testing.reference` resolves small requests by definition, as an oracle for the resolver.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.testing import backends as backends
    from olmsolve.testing import random_requests as random_requests
    from olmsolve.testing import reference as reference
    from olmsolve.testing import strategies as strategies
    from olmsolve.testing import synthetic as synthetic
else:
    __getattr__, __dir__ = lazily(__name__)
