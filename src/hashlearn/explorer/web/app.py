"""The application: checks, then the page and the API."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI
from starlette.types import ASGIApp

from hashlearn._version import __version__
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.errors import add_error_handlers
from hashlearn.explorer.web.guard import LOCAL_HOSTS, Guard
from hashlearn.explorer.web.page import page_routes
from hashlearn.explorer.web.routes.collection import collection_routes
from hashlearn.explorer.web.routes.encode import encode_routes
from hashlearn.explorer.web.routes.items import item_routes
from hashlearn.explorer.web.routes.measures import measure_routes
from hashlearn.explorer.web.routes.search import search_routes

ABOUT = (
    "Items of the loaded collection, their neighbours by Hamming distance, measures and codes. "
    "Ids are text; positions count items from 0. Errors are one sentence in `detail`."
)


def create_app(collection: Collection, hosts: Iterable[str] = LOCAL_HOSTS) -> ASGIApp:
    """Return the ASGI application that shows a collection.

    Parameters
    ----------
    collection : Collection
    hosts : iterable of str
        Allowed names in Host headers, at any port.
    """
    return Guard(_api(collection), hosts)


def _api(collection: Collection) -> FastAPI:
    api = FastAPI(
        title="hashlearn explorer",
        description=ABOUT,
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,  # it and redoc load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
    )
    add_error_handlers(api)
    for router in (
        collection_routes(collection),
        item_routes(collection),
        search_routes(collection),
        measure_routes(collection),
        encode_routes(collection),
    ):
        api.include_router(router, prefix="/api")
    api.include_router(page_routes())
    return api
