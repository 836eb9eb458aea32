"""Synthetic catalogs of any size, from a seed: dense problems, and catalogs shaped like real ones.

:func:`catalog` and :func:`request` are the short way::

    synthetic.request("M", "hard", seed=7)

* ``dense``: problems with much to search, in four sizes, easy and hard, with a solution and without;
* ``realistic``: catalogs drawn from what was measured of real ones;
* ``draws``: random draws, and what fills blobs.

The same arguments give the same bytes on every machine.
"""

from olmsolve.testing.synthetic.dense import SIZES as SIZES
from olmsolve.testing.synthetic.dense import DenseProblem as DenseProblem
from olmsolve.testing.synthetic.dense import DenseShape as DenseShape
from olmsolve.testing.synthetic.dense import Difficulty as Difficulty
from olmsolve.testing.synthetic.dense import Window as Window
from olmsolve.testing.synthetic.dense import catalog as catalog
from olmsolve.testing.synthetic.dense import dense_problem as dense_problem
from olmsolve.testing.synthetic.dense import request as request
from olmsolve.testing.synthetic.draws import lines as lines
from olmsolve.testing.synthetic.realistic import CatalogFigures as CatalogFigures
from olmsolve.testing.synthetic.realistic import PartFigures as PartFigures
from olmsolve.testing.synthetic.realistic import measured_figures as measured_figures
from olmsolve.testing.synthetic.realistic import realistic_blobs as realistic_blobs
from olmsolve.testing.synthetic.realistic import realistic_catalog as realistic_catalog
