"""Versions of Python and of packages."""

import platform
from importlib.metadata import version

PACKAGES = ("hashlearn", "numpy", "scipy", "scikit-learn", "numba")


def package_versions(*further: str) -> dict[str, str]:
    """Return the versions of Python, of hashlearn and what it needs, and of further packages."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in (*PACKAGES, *further)},
    }
