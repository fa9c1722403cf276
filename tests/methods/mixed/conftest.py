"""Recorders that remember one test alone."""

import pytest

from tests.methods.mixed.small import GeometryRecorder, Recorder


@pytest.fixture
def recorders(monkeypatch):
    """Return a part for labels and one for geometry that keep what they are fitted on."""
    for recorder in (Recorder, GeometryRecorder):
        monkeypatch.setattr(recorder, "fits", [])
        monkeypatch.setattr(recorder, "weights", [])
    return Recorder(), GeometryRecorder()
