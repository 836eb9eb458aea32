"""Help for other people's tests: generators of small catalogs and requests, and a brute-force reference.

:mod:`olmsolve.testing.random_requests` makes requests from a seeded generator and needs no other package;
:mod:`olmsolve.testing.strategies` draws the same requests with hypothesis (the ``testing`` extra);
:mod:`olmsolve.testing.reference` resolves small requests by definition, as an oracle for the resolver.
"""
