"""The documentation site: pages that are generated from the code, and the hook by which MkDocs takes them.

Read in this order: ``markdown`` (escaping, tables); ``commands``, ``schemas``, ``codes`` and ``api``, which make one
part of the reference each; ``repository`` (links out of docs/); ``reference``, which puts the parts together;
``docstrings`` (as Markdown); ``hook`` (what MkDocs calls) and ``griffe_extension`` (what griffe calls). Only these two
need MkDocs and griffe: the others run, and are tested, wherever the package runs. mkdocs.yml at the root names the
hook, the extension, the theme and the navigation; ``make docs`` builds.
"""
