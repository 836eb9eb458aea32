"""Help for other people's tests: generators of small catalogs and requests, and a brute-force reference.

:mod:`olmsolve.testing.reference` resolves small requests by definition instead of by search;
:mod:`olmsolve.testing.strategies` needs hypothesis (the ``testing`` extra),
:mod:`olmsolve.testing.random_requests` needs nothing.
"""
