"""The texts of ``olmsolve help``: topics, which are files beside this module, and the findings of checks.

Reading order: ``reading`` (the topics, what the code adds to their text, and their text for terminals), ``remedies``
(what to do about a finding). The site shows the same files.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cli.topics.reading import TOPICS as TOPICS
    from olmsolve.cli.topics.reading import markdown_text as markdown_text
    from olmsolve.cli.topics.reading import topic_markdown as topic_markdown
    from olmsolve.cli.topics.reading import topic_summaries as topic_summaries
    from olmsolve.cli.topics.remedies import FindingGuide as FindingGuide
    from olmsolve.cli.topics.remedies import finding_guides as finding_guides
else:
    __getattr__, __dir__ = lazily(__name__)
