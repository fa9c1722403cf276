"""Few digits in place of all, for commands that would learn from them for long."""

from hashlearn.cli.paper import _work
from tests.experiments.small_sets import digits


def patch_digits(patch):
    """Let `hashlearn paper` load 400 of scikit-learn's digits instead of 1,797."""
    load = _work.load_set
    few = digits(400)
    patch.setattr(
        _work, "load_set", lambda name, *home: few if name == "digits" else load(name, *home)
    )
