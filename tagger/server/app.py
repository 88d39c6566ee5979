"""The application: one model, its corrections, the routes and the page, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp

from tagger import __version__
from tagger.server import assets, files, routes
from tagger.server.context import Context
from tagger.server.corrections import Corrections
from tagger.server.guard import Guard
from tagger.server.replies import add_handlers
from tagger.server.settings import Settings, default_database
from tagger.server.work import Work
from tagger.tagging import Tagger


def create_app(tagger: Tagger, name: str = "areas", settings: Settings = Settings()) -> ASGIApp:
    """Make the application that ``tagger serve`` runs, for any ASGI server.

    Parameters
    ----------
    tagger : Tagger
        What tags.
    name : str
        What the model is called.
    settings : Settings
        Limits, the names of the server, and where corrections are kept.

    Raises
    ------
    InputError
        If the corrections cannot be opened.
    """
    tagger.model.prepare()
    corrections = Corrections(settings.database or default_database())
    context = Context(tagger, name, settings, corrections, Work())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        context.work.close()
        corrections.close()

    app = FastAPI(
        title="tagger",
        version=__version__,
        description=f"Tags abstracts with the areas {', '.join(tagger.areas)}. Every refusal is {{'error': sentence}}.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.context = context
    app.include_router(routes.router)
    app.include_router(files.router)
    app.include_router(assets.router())
    add_handlers(app)
    return Guard(app, settings)
