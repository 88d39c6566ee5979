"""A tagged collection as one page that needs nothing else.

:mod:`~tagger.report.gathering` takes in the collection, :mod:`~tagger.report.numbers` counts it,
:mod:`~tagger.report.explaining` finds the evidence, :mod:`~tagger.report.page` writes the page.
"""
