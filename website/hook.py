"""What MkDocs calls: the hook that mkdocs.yml names.

It adds the generated pages, expands the folders in the navigation, makes links out of docs/ work on the site, and links
names: ``olmsolve.resolve`` or ``olmsolve resolve`` as code becomes a link to the reference, and "docs/limits.md" in a
docstring or a help text a link to the page, with its title.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from olmsolve._reader import SITE
from olmsolve.cli.table import COMMANDS, parser_of
from website import api, commands, playground_files, schemas
from website.lines import with_whole_options, wrapped
from website.markdown import in_both_themes, with_file_names
from website.reference import contents, pages
from website.repository import source_of, with_site_links

_WEIGHTS: Final = {
    "how-to/": 1.5,
    "reference/commands/": 2,
    "reference/findings": 2,
    "reference/python/": 0.02,
    "reference/schemas/": 0.05,
    "project/": 0.3,
    "decisions": 0.3,
}
"""How much a hit counts in a search, by the beginning of its page's path; 1 elsewhere, so that guides come first."""

# Code, with what may stand around it: <code>olmsolve.resolve()</code>, but no link, no heading and no block.
# A reference of a docstring (<autoref>) becomes a link later.
_UNTOUCHED: Final = re.compile(r"(<(a|autoref|pre|h1|h2|h3|h4|h5|h6)\b.*?</\2>)", re.DOTALL)
_CODE: Final = re.compile(r"<code>(olmsolve[ .][\w. -]*?)(\(\))?</code>")
# A picture leads to itself, because phones show it small.
_PICTURE: Final = re.compile(r'(<img [^>]*\bsrc="([^"]+)"[^>]*>)')
# A link to a generated page, which the repository has not: it names the published page.
_ADDRESS: Final = re.compile(rf"\]\({re.escape(SITE)}([\w/-]+)/(#[\w-]+)?\)")
_SEARCH: Final = '<div class="md-search" data-md-component="search" role="dialog"'
# A page by its file, or by its address, which schemas and help texts show.
_MENTION: Final = re.compile(rf"(?:\bdocs/(?P<file>[\w/-]+)\.md\b|{re.escape(SITE)}(?P<page>[\w/-]+)/)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace each ``folder/*`` of the navigation by the pages in it that have no entry of their own."""
    on_disk = sorted(path.relative_to(config.docs_dir).as_posix() for path in _markdown_files(config))
    known = [*on_disk, *(path for path in pages() if path.endswith(".md"))]
    named = set(_entries(config.nav))
    config.nav = _expanded(config.nav, known, named)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated files."""
    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Write the playground, which is no page of the documentation."""
    playground_files.write(Path(config.site_dir, "playground"))


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make the links out of docs/ work, name files, and say where the page is edited and how much it counts."""
    path = page.file.src_uri
    if path == "index.md":
        page.meta["hide"] = ["navigation", "toc"]  # its part of the navigation has no other page
    for start, weight in _WEIGHTS.items():
        if path.startswith(start):
            page.meta.setdefault("search", {"boost": weight})
    if path in pages() and not path.startswith("project/"):
        page.edit_url = None  # it is made from the code
        return markdown
    if path == "reference/index.md":
        markdown = f"{markdown}\n{contents()}"
    if config.repo_url:
        page.edit_url = f"{config.repo_url.rstrip('/')}/blob/main/{source_of(path)}"
    own = _ADDRESS.sub(lambda found: f"]({_relative(found[1], path)}{found[2] or ''})", markdown)
    return with_site_links(with_file_names(own), path, (config.repo_url or "").rstrip("/"))


def _relative(page: str, path: str) -> str:
    """Return the link from the page at *path* to the *page* whose address on the site the text has."""
    return posixpath.relpath(f"{page}.md", posixpath.dirname(path) or ".")


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Link the names of commands, of Python's reference and of pages, wherever the text mentions them."""

    def linked(path: str, anchor: str, text: str) -> str:
        target = files.get_file_from_path(path)
        if target is None or (path == page.file.src_uri and not anchor):
            return text
        href = get_relative_url(target.url, page.url) + (f"#{anchor}" if anchor else "")
        return f'<a href="{href}">{text}</a>'

    def of_mention(found: re.Match[str]) -> str:
        path = f"{found['file'] or found['page']}.md"
        target = files.get_file_from_path(path)
        return linked(path, "", _title(target.content_string)) if target is not None else found[0]

    def of_code(found: re.Match[str]) -> str:
        where = _reference_to(found[1])
        return linked(*where, found[0]) if where else found[0]

    parts = _UNTOUCHED.split(wrapped(html))
    # The pattern has two groups: text, untouched, name of its tag, text, ...
    texts = (_MENTION.sub(of_mention, each) for each in parts[::3])
    parts[::3] = [_CODE.sub(of_code, each) for each in texts]
    del parts[2::3]
    parts[::2] = [_PICTURE.sub(r'<a href="\2">\1</a>', each) for each in parts[::2]]
    # Signatures are half of all text, and nobody searches for "None = None".
    return with_whole_options(in_both_themes("".join(parts), Path(config.docs_dir, "images"))).replace(
        '<div class="doc-signature', '<div data-search-exclude class="doc-signature'
    )


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Name the search for those who hear the page, which the theme does not."""
    return output.replace(_SEARCH, f'{_SEARCH} aria-label="Search"', 1)


def _title(text: str) -> str:
    """Return the title of a page, its first heading."""
    return next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))


def _reference_to(text: str) -> tuple[str, str] | None:
    """Return the page and the anchor that describe what *text* names: a public name, a document, a command."""
    if text in api.paths():
        path = api.paths()[text]
        if path in api.doors():
            return api.door_page(path), ""
        return next((each.page, path) for each in api.public_names().values() if each.path == path)
    if schemas.page_path(text) in pages():
        return schemas.page_path(text), ""
    words = text.split(" ")
    if words[0] == "olmsolve" and len(words) > 1 and words[1] in COMMANDS:
        action = words[2] if len(words) > 2 and words[2] in commands.actions_of(parser_of(words[1])) else ""
        return commands.page_path(words[1]), action
    return None


def _markdown_files(config: MkDocsConfig) -> Iterator[Path]:
    return Path(config.docs_dir).rglob("*.md")


def _entries(nav: Any) -> Iterator[str]:
    """Yield the pages that *nav* names, at any depth."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for each in nav.values():
            yield from _entries(each)
    else:
        for each in nav or ():
            yield from _entries(each)


def _expanded(nav: Any, known: list[str], named: set[str]) -> Any:
    if isinstance(nav, dict):
        return {title: _expanded(each, known, named) for title, each in nav.items()}
    if not isinstance(nav, list):
        return nav
    found: list[Any] = []
    for each in nav:
        if each == f"{api.FOLDER}/*":
            found += api.navigation()
        elif isinstance(each, str) and each.endswith("*"):
            folder = posixpath.dirname(each)
            found += [
                path
                for path in known
                if fnmatch.fnmatch(path, each) and posixpath.dirname(path) == folder and path not in named
            ]
        else:
            found.append(_expanded(each, known, named))
    return found
