"""Results of a comparison: a table, a picture, a page, and a recommendation."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hashlearn._progress import say
from hashlearn._report.html import table_html
from hashlearn._report.writing import write_page
from hashlearn.base import BaseHasher
from hashlearn.comparison import _tables
from hashlearn.comparison._choice import Target
from hashlearn.comparison._making import advice_for_fit
from hashlearn.comparison._options import Option
from hashlearn.comparison._recommending import recommend
from hashlearn.comparison.recommendation import Recommendation, Source
from hashlearn.comparison.settings import Settings
from hashlearn.files import atomic_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

FILE = "comparison.json"  # in the folder that `Comparison.save` writes


class Comparison:
    """Measured codes of several methods and lengths; `hashlearn.compare` returns one.

    Printed, it is a table and a recommendation; in a notebook both are HTML.

    Attributes
    ----------
    settings : Settings
        What was compared, and how.
    rows : list of dict
        The measurements, one per method, length and search. A measure such as ``"recall@10"`` is
        the mean on queries that codes are chosen by, ``"recall@10 error"`` its standard error, and
        ``"recall@10 fresh"`` the mean on queries that nothing is chosen by.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> import hashlearn
    >>> X, y = load_digits(return_X_y=True)
    >>> comparison = hashlearn.compare(X, n_bits=16, methods=["lsh", "itq"])
    >>> comparison.rows[-1]["method"], comparison.rows[-1]["search"]
    ('lsh', 'asymmetric')
    """

    def __init__(self, options: Sequence[Option], settings: Settings) -> None:
        self._options, self.settings = list(options), settings
        self.rows = [option.as_row() for option in self._options]

    def __str__(self) -> str:
        return f"{_tables.as_text(self._table)}\n\n{self._sentence}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{table_html(self._table)}<p>{escape(self._sentence)}</p>"

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        return Group(_tables.as_rich(self._table), Text(f"\n{self._sentence}"))

    @property
    def _sentence(self) -> str:
        try:
            return self.recommend().sentence
        except ValueError as error:  # nothing was measured
            return str(error)

    @property
    def _table(self) -> Any:
        return _tables.quality_table(self._options, self.settings)

    @property
    def frame(self) -> DataFrame:
        """The rows as a pandas data frame."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise ImportError(
                "frame needs pandas: pip install pandas; rows has the same."
            ) from None
        return DataFrame(self.rows)

    def best(
        self,
        target: str | None = None,
        at_least: float | None = None,
        *,
        rescored: bool = False,
    ) -> BaseHasher:
        """Return a fresh hasher for the smallest codes that reach a target; say which and why.

        Parameters
        ----------
        target : str, default=None
            A measure such as "recall@10". By default the target of the comparison; else what
            `recommend` asks for.
        at_least : float, default=None
            What it must reach, by its standard error.
        rescored : bool, default=False
            Whether vectors may order candidates again: they must then be kept.

        Returns
        -------
        hasher : BaseHasher
            Not fitted.

        Raises
        ------
        ValueError
            If nothing reaches the target; `recommend` returns what comes nearest.
        """
        found = self.recommend(target, at_least, rescored=rescored)
        is_asked = any(one is not None for one in (target, at_least, self.settings.target))
        if not found.reached and is_asked:
            raise ValueError(f"{found.sentence} `recommend` returns the nearest.")
        say(found.sentence, verbose=1)
        for advice in advice_for_fit(found.hasher, self.settings):
            say(advice, verbose=1)
        return found.hasher

    def recommend(
        self,
        target: str | None = None,
        at_least: float | None = None,
        *,
        rescored: bool = False,
        source: Source | None = None,
    ) -> Recommendation:
        """Return the smallest codes that reach a target, or those that come nearest.

        Without a target they should find right items as well as the vectors do, or 9 of 10
        neighbours; if nothing does, they are the smallest that are level with the best.

        Parameters
        ----------
        target, at_least, rescored
            As in `best`.
        source : Source, default=None
            The items in the words of commands.

        Returns
        -------
        recommendation : Recommendation
        """
        measure, wanted = self._wanted(target, at_least)
        return recommend(
            self._options, self.settings, measure, wanted, rescored=rescored, source=source
        )

    def _wanted(self, target: str | None, at_least: float | None) -> tuple[str, Target | None]:
        """Return the measure that decides, and what it must reach."""
        settings = self.settings
        if target is None and at_least is None:
            return settings.measure, settings.target
        usual = settings.measure if settings.target is None else settings.target.measure
        name = usual if target is None else str(target)
        if at_least is None and "=" not in name:
            Target(name, 0).check(settings.measures)
            return name, None
        wanted = Target.parse(name if at_least is None else f"{name}={at_least}")
        wanted.check(settings.measures)
        return wanted.measure, wanted

    def plot(self) -> Figure:
        """Draw quality over bytes per item, a line per method, the vectors as a level.

        Returns
        -------
        figure : matplotlib.figure.Figure
        """
        from hashlearn.comparison._picture import draw

        return draw(self._options, self.settings, self.recommend())

    def as_dict(self, source: Source | None = None) -> dict[str, Any]:
        """Return settings, rows and recommendation for JSON.

        Parameters
        ----------
        source : Source, default=None
            As in `recommend`.

        Returns
        -------
        content : dict
        """
        found = {
            name: value
            for name, value in vars(self.recommend(source=source)).items()
            if name != "hasher"
        }
        items = None if source is None else asdict(source) | {"folder": os.getcwd()}
        if items and items["is_standard_input"]:
            items["path"] = "-"  # whatever file of that name there may be
        return {
            "items": items,
            "settings": asdict(self.settings),
            "recommendation": found,
            "rows": self.rows,
        }

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        title: str = "",
        command: str = "",
        source: Source | None = None,
    ) -> Path:
        """Write a page, and `comparison.json` with what programs need.

        Parameters
        ----------
        folder : str or path-like
            Made if it does not exist.
        title : str, default=""
            What the items are called.
        command : str, default=""
            The command that made the comparison.
        source : Source, default=None
            As in `recommend`.

        Returns
        -------
        path : Path
            The HTML page.
        """
        from hashlearn.comparison._page import make_page

        Path(folder).mkdir(parents=True, exist_ok=True)
        found = self.recommend(source=source)
        page = make_page(self._options, self.settings, found, self._table, title, command)
        written = write_page(folder, page)
        with atomic_writer(Path(folder) / FILE) as file:
            file.write(json.dumps(self.as_dict(source), indent=1).encode())
        return written
