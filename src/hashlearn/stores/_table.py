"""A table of a store as a whole: its name, its layout, its model; created, indexed, dropped."""

from __future__ import annotations

import re
from typing import Any, Self

from hashlearn.stores._adapter import Adapter
from hashlearn.stores._checks import check_name
from hashlearn.stores.batches import Columns, ColumnType, IdType, Layout
from hashlearn.stores.errors import IndexMissingError, ModelMismatchError, StoreError

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class Table(Adapter):
    """A table of a database, without its items."""

    def __init__(self, address: str, table: str = "items", *, check_model: bool = True) -> None:
        super().__init__()
        self.table = check_name(table, "table")
        self.check_model = check_model

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.table!r} in {self.place}>"

    def __str__(self) -> str:
        return f"table {self.table} in {self.place}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def n_bits(self) -> int:
        """Bits per code of the table."""
        return self._existing().n_bits

    @property
    def columns(self) -> dict[str, ColumnType]:
        """Names and types of the columns beside ids and codes."""
        return dict(self._existing().columns)

    @property
    def id_type(self) -> IdType:
        """The type of the table's ids, int or str."""
        return self._existing().id_type

    @property
    def model(self) -> str | None:
        """The fingerprint of the model that made the table's codes; None if it is not known."""
        self._existing()
        return self._read_model()

    def exists(self) -> bool:
        """Tell whether the table exists."""
        self._layout = self._read_layout()
        return self._layout is not None

    def create(
        self,
        n_bits: int,
        columns: Columns | None = None,
        *,
        id_type: IdType = int,
        model: str | None = None,
        exist_ok: bool = False,
    ) -> Self:
        """Create the table.

        Parameters
        ----------
        n_bits : int
            Bits per code.
        columns : mapping of str to type, optional
            What to keep beside ids and codes: int, float, str or bool, for `where`. Values may be
            missing.
        id_type : {int, str}, default=int
            The type of the ids: 64-bit integers, or text, such as URLs, paths and UUIDs.
        model : str, optional
            The fingerprint of the model whose codes the table is for (`hasher.fingerprint()`);
            unless given, that of the first codes that know theirs.
        exist_ok : bool, default=False
            Accept a table that exists already, if it has these bits, columns and ids, and this
            model.

        Returns
        -------
        self : Store
        """
        if model is not None and not (isinstance(model, str) and _FINGERPRINT.fullmatch(model)):
            raise ValueError(
                "model must be a fingerprint of 16 hexadecimal digits, as hasher.fingerprint() "
                f"returns it; got {model!r}."
            )
        wanted = Layout.checked(n_bits, columns, id_type)
        there = self._read_layout() or self._make(wanted)
        if there is not None and not exist_ok:
            raise StoreError(f"{self} exists already", "drop it first, or add to it")
        if there not in (None, wanted):
            raise StoreError(f"{self} has {there.in_words()}, not {wanted.in_words()}.")
        self._layout = wanted
        self._check_model(model, "create was given model", adopt=True)
        return self

    def build_index(self) -> None:
        """Build an index for searches with `effort`, or build it again."""
        if not self.indexable:
            raise StoreError(f"{self} has no approximate search: its searches are exact.")
        self._existing()
        self._build_index()

    def drop(self) -> None:
        """Remove the table, with its index."""
        self._existing()
        self._drop()
        self._layout = None

    def _make(self, layout: Layout) -> Layout | None:
        """Create the table; return its layout if another program was quicker."""
        try:
            self._create(layout)
        except StoreError:
            there = self._read_layout()
            if there is None:
                raise
            return there
        return None

    def _check_indexed(self) -> None:
        """Raise unless there is an index."""
        if not self.indexable:
            raise IndexMissingError(f"{self} has no approximate search", "leave out effort")
        if not self.has_index():
            raise IndexMissingError(f"{self} has no index", "call build_index, or leave out effort")

    def _check_model(self, given: Any, name: str, *, adopt: bool = False) -> None:
        """Raise if codes, or a fingerprint, are of another model than the table's codes.

        A table without a model can adopt this one.
        """
        model = given if isinstance(given, str) else getattr(given, "model", None)
        if model is None or not self.check_model:
            return
        kept = self._read_model()
        if kept is None and adopt:
            kept = self._adopt_model(model)
        if kept not in (None, model):
            raise ModelMismatchError(
                f"{name} {model}, and {self} holds codes of model {kept}",
                "encode with that model, use another table, or open the store with "
                "check_model=False",
            )
