"""The application: checks first, then the page and the API."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from hashlearn._version import __version__
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.errors import add_error_handlers
from hashlearn.explorer.web.headers import SecurityHeaders
from hashlearn.explorer.web.hosts import LOCAL_HOSTS, HostCheck, SiteCheck
from hashlearn.explorer.web.limits import QueryLimit
from hashlearn.explorer.web.page import page_routes
from hashlearn.explorer.web.routes.collection import collection_routes
from hashlearn.explorer.web.routes.encode import encode_routes
from hashlearn.explorer.web.routes.items import item_routes
from hashlearn.explorer.web.routes.measures import measure_routes
from hashlearn.explorer.web.routes.search import search_routes
from hashlearn.explorer.web.shown import Shown

ABOUT = (
    "Ask for items of the loaded collection, their neighbours by Hamming distance, measures and "
    "codes. Ids are text; positions count items from 0. Errors are one sentence in `detail`."
)


def create_app(collection: Collection, hosts: Iterable[str] = LOCAL_HOSTS) -> ASGIApp:
    """Return the ASGI application that shows a collection.

    Parameters
    ----------
    collection : Collection
    hosts : iterable of str
        The names in Host headers that are answered, whatever the port.

    Returns
    -------
    app : ASGI application
    """
    api = _api(collection)
    checked = SecurityHeaders(HostCheck(SiteCheck(QueryLimit(api)), hosts))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (checked if scope["type"] == "http" else api)(scope, receive, send)

    return app


def _api(collection: Collection) -> FastAPI:
    api = FastAPI(
        title="hashlearn explorer",
        description=ABOUT,
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,  # both load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
    )
    add_error_handlers(api)
    shown = Shown(collection)
    for router in (
        collection_routes(collection),
        item_routes(collection, shown),
        search_routes(collection, shown),
        measure_routes(collection),
        encode_routes(collection),
    ):
        api.include_router(router, prefix="/api")
    api.include_router(page_routes())
    return api
