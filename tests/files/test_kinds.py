"""Registered classes, and only those, have names in model files."""

import pytest

from hashlearn._registry import Registry
from hashlearn.files._kinds import class_of_name, name_of_class
from hashlearn.files.model_file import storable
from tests.files.storable_parts import Hasher, Machine, Unregistered


@pytest.mark.parametrize(
    ("cls", "name"), [(Machine, "test part:machine"), (Hasher, "class:TestHasher")]
)
def test_name_and_class_belong_together(cls, name):
    assert name_of_class(cls) == name
    assert class_of_name(name) is cls


@pytest.mark.parametrize(
    "name", ["Machine", "tests.files.storable_parts:Machine", "os:system", ":", ""]
)
def test_other_names_stand_for_nothing(name):
    assert class_of_name(name) is None


def test_subclass_of_a_registered_class_is_not_registered():
    assert name_of_class(Unregistered) is None
    assert name_of_class(type("Special", (Machine,), {})) is None


def test_two_classes_cannot_share_a_name():
    with pytest.raises(ValueError, match="'TestHasher' is already registered"):
        storable("TestHasher")(Unregistered)


def test_every_new_registry_is_known():
    registry = Registry("fresh kind")
    registry.register("part")(Unregistered)
    assert class_of_name("fresh kind:part") is Unregistered
    Registry._known.remove(registry)
