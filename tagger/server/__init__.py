"""``tagger serve``: a JSON API and a page over one model, for the people of one machine.

:mod:`~tagger.server.app` puts the parts together: :mod:`~tagger.server.guard` lets requests in,
:mod:`~tagger.server.routes` and :mod:`~tagger.server.uploads` answer them, :mod:`~tagger.server.work` keeps what
computes off the event loop, :mod:`~tagger.server.corrections` remembers what people said.
"""
