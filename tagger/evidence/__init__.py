"""Why a text was tagged: which of its words and phrases moved which area, and by how much.

:mod:`~tagger.evidence.shares` does the arithmetic, :mod:`~tagger.evidence.explanation` finds it in the text as it was
written, :mod:`~tagger.evidence.markup` and :mod:`~tagger.evidence.terminal` show it.
"""
