"""Every method has a row, once, in its group."""

import pytest

from hashlearn.base import BaseHasher
from hashlearn.experiments import known_methods
from hashlearn.experiments.known_methods import (
    GROUPS,
    KNOWN_METHODS,
    example_methods,
    figure_methods,
    is_implemented,
    method_rows,
)
from hashlearn.methods import METHODS


class OneMore:
    """The registered methods, and one that is brand new."""

    def __init__(self, cls):
        self.cls = cls

    def names(self):
        return [*METHODS.names(), "brand-new"]

    def get(self, name):
        return self.cls if name == "brand-new" else METHODS.get(name)


def test_known_methods_have_one_row_each_and_groups_stay_together():
    names = [method.name for method in KNOWN_METHODS]
    assert len(set(names)) == len(names)
    places = [GROUPS.index(method.group) for method in method_rows(["tsh-hinge", "lsh"])]
    assert places == sorted(places)


def test_two_step_hashing_with_all_defaults_has_a_row_beside_the_papers():
    rows = {method.name: method for method in method_rows()}
    assert rows["tsh"].title == "TSH (default)"
    assert rows["tsh"].group == rows["tsh-bre"].group == "supervised"
    assert figure_methods(["tsh", "tsh-bre", "tsh-ee"]) == ["tsh", "tsh-bre"]
    assert example_methods(["tsh", "tsh-bre", "itq"]) == ["tsh-bre", "itq"]


def test_float_queries_are_a_row_where_codes_are_made_for_them():
    titles = {method.name: method.title for method in method_rows()}
    assert titles["bae:float"] == "BAE, float queries"
    assert [name for name in titles if name.endswith(":float")] == ["bae:float"]


@pytest.mark.parametrize(("supervised", "group"), [(True, "supervised"), (False, "unsupervised")])
def test_a_new_method_gets_a_row_at_the_end_of_its_group(monkeypatch, supervised, group):
    cls = type("BrandNew", (BaseHasher,), {"supervised": supervised})
    monkeypatch.setattr(known_methods, "METHODS", OneMore(cls))
    rows = [method for method in method_rows() if method.group == group]
    assert rows[-1] == ("brand-new", "BRAND-NEW", group)
    assert is_implemented("brand-new")


def test_a_method_that_only_results_know_is_a_reference():
    assert method_rows(["gone"])[-1] == ("gone", "GONE", "reference")
    assert not is_implemented("gone")


def test_a_row_is_made_once_for_a_name_that_is_known_registered_and_in_results():
    names = [method.name for method in method_rows(["lsh", "lsh"])]
    assert names.count("lsh") == 1


def test_figures_show_one_loss_the_papers_if_it_is_there():
    assert figure_methods(["tsh-ksh", "tsh-bre", "lsh"]) == ["tsh-bre", "lsh"]
    assert figure_methods(["tsh-ee", "lsh"]) == ["tsh-ee", "lsh"]


def test_examples_show_two_step_hashing_and_one_unsupervised_method():
    names = ["tsh-ksh", "tsh-bre", "lsh", "itq", "classifier-codes"]
    assert example_methods(names) == ["tsh-bre", "itq"]
