"""Parts of a hasher that are given by name: their parameters cannot be set through it."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from hashlearn._registry import Registry


class NamedParts(BaseEstimator):
    """The part of a hasher that sets parameters."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of parts (`part__parameter`) that are given as instances.

        Parameters
        ----------
        **params
            Names and values.

        Returns
        -------
        self
        """
        given = self.get_params(deep=False) | params
        for name in params:
            part, _, parameter = name.partition("__")
            if parameter and part in given and not hasattr(given[part], "set_params"):
                raise ValueError(
                    f"{name} cannot be set, because {part} is {given[part]!r}; pass "
                    f"{part}={_instance(part, given[part])} to set its parameters."
                )
        super().set_params(**params)
        return self


def _instance(part: str, name: Any) -> str:
    """Return how an instance of a named part is written."""
    kind = "method" if part.endswith("_hasher") else part
    for registry in Registry.known():
        if registry.kind == kind and isinstance(name, str) and name in registry.names():
            return f"{registry.get(name).__name__}(...)"
    return "an instance"
