"""The page and its files, and no other file of the disk."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

FOLDER = Path(__file__).parent.parent / "page"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


def page_routes() -> APIRouter:
    """Return the routes of the page: a file is looked up in a fixed list, not by its path."""
    router = APIRouter(include_in_schema=False)
    files = {
        path.relative_to(FOLDER).as_posix(): path
        for path in FOLDER.rglob("*")
        if path.suffix in TYPES and path.is_file()
    }

    @router.get("/")
    def get_page() -> Response:
        return _response(files["index.html"])

    @router.get("/page/{name:path}")
    def get_file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        return _response(files[name])

    return router


def _response(path: Path) -> Response:
    headers = {"Cache-Control": "no-cache"}  # another version may follow
    return Response(path.read_bytes(), media_type=TYPES[path.suffix], headers=headers)
