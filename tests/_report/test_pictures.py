"""Pictures have one style, and change nothing around them."""

import builtins
import io
import sys

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from hashlearn._report.pictures import (
    COLOURS,
    figure_to_bytes,
    marker_look,
    shrink_png,
    styled_figure,
)


def draw():
    with styled_figure(3, 2) as figure:
        figure.add_subplot().plot([0, 1], [1, 0], **marker_look(0))
    return figure


@pytest.mark.parametrize(
    ("format", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")], ids=["svg", "png"]
)
def test_a_file_holds_the_picture_and_is_the_same_each_time(format, start):
    files = {figure_to_bytes(draw(), format) for _ in range(2)}
    assert len(files) == 1
    assert files.pop().startswith(start)


def test_unknown_picture_format_is_refused():
    with pytest.raises(ValueError, match="format must be 'svg' or 'png'; got 'gif'"):
        figure_to_bytes(draw(), "gif")


def test_user_settings_and_pyplot_stay_as_they_are(monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    before = mpl.rcParams.copy()
    figure_to_bytes(draw(), "svg")
    assert mpl.rcParams.copy() == before
    assert "matplotlib.pyplot" not in sys.modules


def test_missing_matplotlib_names_the_extra(monkeypatch):
    real_import = builtins.__import__

    def without_matplotlib(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(ImportError, match=r"pip install 'hashlearn\[plot\]'"):
        draw()


def test_many_lines_of_one_colour_have_different_markers():
    looks = [marker_look(i) for i in range(4 * len(COLOURS))]
    assert len({(look["color"], look["marker"]) for look in looks}) == len(looks)


def test_a_shrunk_picture_has_the_same_size_and_nearly_the_same_colours():
    content = figure_to_bytes(draw(), dpi=60)
    before, after = (
        np.asarray(Image.open(io.BytesIO(file)).convert("RGB"), dtype=int)
        for file in (content, shrink_png(content))
    )
    assert before.shape == after.shape
    assert np.abs(before - after).mean() < 1
