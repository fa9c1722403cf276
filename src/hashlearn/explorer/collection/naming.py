"""Names and titles of the methods of fitted hashers."""

from __future__ import annotations

from hashlearn.base import METHODS, BaseHasher
from hashlearn.losses import LOSSES
from hashlearn.methods import list_methods


def method_name(hasher: BaseHasher) -> str:
    """Return the name of a hasher's method, with the loss of two-step hashing.

    Examples
    --------
    >>> from hashlearn import make_hasher
    >>> method_name(make_hasher("tsh-ksh")), method_name(make_hasher("itq"))
    ('tsh-ksh', 'itq')
    """
    name = METHODS.name_of(hasher) or type(hasher).__name__
    return f"{name}-{_loss_name(hasher)}" if name == "tsh" else name


def method_title(hasher: BaseHasher) -> str:
    """Return a hasher's method in words.

    Examples
    --------
    >>> from hashlearn import make_hasher
    >>> method_title(make_hasher("tsh-ksh")), method_title(make_hasher("itq"))
    ('Two-step hashing, KSH loss', 'Iterative quantization')
    >>> method_title(make_hasher("bres"))
    'BREs'
    """
    name = METHODS.name_of(hasher) or type(hasher).__name__
    if name == "tsh":
        return f"Two-step hashing, {_loss_name(hasher).upper()} loss"
    idea, colon, _ = list_methods().get(name, "").partition(":")
    return idea if colon else hasher.card.title or name


def _loss_name(hasher: BaseHasher) -> str:
    loss = hasher.get_params(deep=False)["loss"]
    return loss if isinstance(loss, str) else LOSSES.name_of(loss) or "own"
