"""``olmsolve template``: the catalog that a template stands for."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Final

import olmsolve
from olmsolve import authoring, render
from olmsolve.cli.catalogs import put
from olmsolve.cli.options import add_images, add_written_catalog, renderer_of
from olmsolve.cli.output import Exit, complain, write, write_file
from olmsolve.cli.pages import about_page

DESCRIPTION: Final = """\
Render a catalog template (olm.semver, olm.template.basic or olm.template.substitutes) to the blobs of a
catalog, or draw the update graphs of this catalog (docs/templates.md). Images are looked for among --bundle,
then --catalog, then --folder; with --pull, then in their registries."""

EXAMPLES: Final = """\
examples:
  olmsolve template authoring/template.yaml --catalog catalogs/commons \\
                    --folder authoring/bundles --output yaml
  olmsolve template authoring/template.yaml --catalog catalogs/commons \\
                    --bundle keyring-1.1.0=authoring/bundles/keyring-1.1.0 \\
                    --output mermaid

exit codes:
  0  the catalog
  2  bad input: the template or a bundle cannot be read, or an argument is wrong"""


_DRAWINGS: Final = ("mermaid", "dot", "html")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the template, where its images are found, and where the catalog goes."""
    parser.add_argument("template", metavar="TEMPLATE", help='the template, "-" for stdin')
    add_images(parser)
    add_written_catalog(parser, drawings=_DRAWINGS)


def run(options: argparse.Namespace) -> int:
    """Render the template of *options*, print or write the catalog, and return the exit code."""
    source = sys.stdin.buffer if options.template == "-" else options.template
    rendered = authoring.templates.render_template(source, renderer_of(options))
    if options.output in _DRAWINGS:
        _draw(rendered.catalog(), options)
    else:
        inputs = [options.template, *options.catalogs]
        put(
            _kept(rendered),
            options.output,
            file=options.to,
            folder=options.split,
            is_sorted=True,
            is_laid_out=True,
            inputs=inputs,
        )
    return Exit.PLAN


def _kept(rendered: authoring.templates.Rendered) -> list[dict[str, Any]]:
    """Return the blobs of *rendered* as ``opm`` writes them: without blobs of its own schemas that name no package."""
    packaged = (*rendered.channels, *rendered.bundles, *rendered.deprecations)
    lost = [package for package in rendered.packages if not package.get("name")]
    lost += [blob for blob in packaged if not blob.get("package")]
    if lost:
        schemas = ", ".join(sorted({blob["schema"] for blob in lost}))
        complain(f"left out, as by opm: blobs that name no package ({len(lost)} of {schemas})")
    # By identity: another blob may be equal, and have a package.
    return [blob for blob in rendered if not any(blob is other for other in lost)]


def _draw(catalog: olmsolve.Catalog, options: argparse.Namespace) -> None:
    """Write the update graphs of *catalog* in the language that *options* choose."""
    if options.split:
        options.refuse("--split writes folders of packages, and a drawing is one text")
    if options.output == "html":
        text = render.update_graph_html(catalog, about=about_page(options)).rstrip("\n")
    else:
        drawing = {"mermaid": render.update_graph_mermaid, "dot": render.update_graph_dot}[options.output]
        text = drawing(catalog).rstrip("\n")
    if options.to:
        write_file(options.to, [f"{text}\n"])
    else:
        write(text)
