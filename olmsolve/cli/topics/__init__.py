"""The texts of ``olmsolve help``: topics, which are files beside this module, and the findings of checks.

Reading order: ``reading`` (the topics, and what the code adds to their text), ``remedies`` (what to do about a
finding), ``text`` (the Markdown of topics as text for terminals). The site shows the same files.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cli.topics.reading import TOPICS as TOPICS
    from olmsolve.cli.topics.reading import topic_markdown as topic_markdown
    from olmsolve.cli.topics.reading import topic_summaries as topic_summaries
    from olmsolve.cli.topics.remedies import FindingGuide as FindingGuide
    from olmsolve.cli.topics.remedies import finding_guides as finding_guides
    from olmsolve.cli.topics.text import markdown_text as markdown_text
else:
    __getattr__, __dir__ = lazily(__name__)
