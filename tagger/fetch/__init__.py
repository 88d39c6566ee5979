"""Abstracts from the public interfaces of arXiv and OpenReview, as plain rows.

:mod:`tagger.fetch.arxiv` and :mod:`tagger.fetch.openreview` give iterators of rows; a
:class:`tagger.fetch.client.Client` asks for them, one request at a time, at the pace that the services want.
``tagger fetch`` is built on these::

    from tagger.fetch import arxiv
    from tagger.fetch.cache import Cache, cache_directory
    from tagger.fetch.client import Client
    from tagger.fetch.pace import Pace

    directory = cache_directory()
    with Client(Pace(directory / "arxiv.next"), cache=Cache(directory / "answers")) as client:
        for row in arxiv.papers_by_id(client, arxiv.Bases(), ["2505.01234"]):
            print(row["id"], row.get("abstract") or row["error"])
"""
