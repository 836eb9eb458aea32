"""The actions of ``olmsolve catalog``: each has its own options, and functions that declare and answer them.

``action`` has their common form; ``showing`` looks at catalogs, ``making`` makes new ones, ``editing`` changes the
files of one, ``starting`` begins one.
"""

from olmsolve.cli.catalog_actions.action import Action as Action
from olmsolve.cli.catalog_actions.editing import EDITING as EDITING
from olmsolve.cli.catalog_actions.making import MAKING as MAKING
from olmsolve.cli.catalog_actions.showing import SHOWING as SHOWING
from olmsolve.cli.catalog_actions.starting import STARTING as STARTING
