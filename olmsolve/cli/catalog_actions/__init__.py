"""The actions of ``olmsolve catalog``: each has its own options, and functions that declare and answer them.

``action`` has their common form; ``showing`` looks at catalogs, ``making`` makes and begins others, ``editing``
changes the files of one.
"""

from olmsolve.cli.catalog_actions.action import Action as Action
from olmsolve.cli.catalog_actions.editing import EDITING as EDITING
from olmsolve.cli.catalog_actions.making import MAKING as MAKING
from olmsolve.cli.catalog_actions.making import STARTING as STARTING
from olmsolve.cli.catalog_actions.showing import SHOWING as SHOWING
