"""The texts of ``olmsolve help``: topics, which are files beside this module, and the findings of checks.

``texts`` has all of them. The site shows the same files.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cli.topics.texts import TOPICS as TOPICS
    from olmsolve.cli.topics.texts import FindingGuide as FindingGuide
    from olmsolve.cli.topics.texts import finding_guides as finding_guides
    from olmsolve.cli.topics.texts import markdown_text as markdown_text
    from olmsolve.cli.topics.texts import topic_markdown as topic_markdown
    from olmsolve.cli.topics.texts import topic_summaries as topic_summaries
else:
    __getattr__, __dir__ = lazily(__name__)
