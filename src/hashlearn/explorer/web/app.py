"""The application: checks, then the page and the API."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp

from hashlearn._version import __version__
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.errors import add_error_handlers
from hashlearn.explorer.web.guard import LOCAL_HOSTS, Guard
from hashlearn.explorer.web.routes.collection import collection_routes
from hashlearn.explorer.web.routes.encode import encode_routes
from hashlearn.explorer.web.routes.items import item_routes
from hashlearn.explorer.web.routes.search import measure_routes, search_routes

FOLDER = Path(__file__).parent.parent / "page"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
ABOUT = (
    "Items of the loaded collection, their neighbours by Hamming distance, measures and codes. "
    "Ids are text; positions count items from 0. Errors are one sentence in `detail`."
)


def create_app(collection: Collection, hosts: Iterable[str] = LOCAL_HOSTS) -> ASGIApp:
    """Return the ASGI application that shows a collection to requests for the given hosts."""
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
    api.include_router(_page_routes())
    return api


def _page_routes() -> APIRouter:
    """Return the routes of the page: a file is looked up in a fixed list, not by its path."""
    router = APIRouter(include_in_schema=False)
    files = {
        path.relative_to(FOLDER).as_posix(): path
        for path in FOLDER.rglob("*")
        if path.suffix in TYPES and path.is_file()
    }

    @router.get("/")
    def get_page() -> Response:
        return _file_response(files["index.html"])

    @router.get("/page/{name:path}")
    def get_file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        return _file_response(files[name])

    return router


def _file_response(path: Path) -> Response:
    headers = {"Cache-Control": "no-cache"}  # another version may follow
    return Response(path.read_bytes(), media_type=TYPES[path.suffix], headers=headers)
