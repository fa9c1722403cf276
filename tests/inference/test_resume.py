"""Step 1 that is interrupted goes on where it was, with the same bits."""

import numpy as np
import pytest

from hashlearn.affinity import LabelAffinity
from hashlearn.files import checkpointing
from hashlearn.inference import CoordinateDescent, SignFlip, as_inference
from hashlearn.losses import as_loss
from tests.affinities import random_affinity


def infer(affinity, loss, n_bits, folder, **params):
    random_state = np.random.RandomState(0)
    loss = as_loss(loss)
    inference = CoordinateDescent(**params) if params else as_inference("auto", loss)
    with checkpointing(folder, {}, random_state):
        step_one = inference.infer(affinity, loss, n_bits, random_state=random_state)
    return step_one, random_state.uniform()


def zipf_classes():
    return LabelAffinity(np.repeat(np.arange(80), (400 / np.arange(1, 81)).astype(int)))


@pytest.mark.parametrize("start", ["random", "ones", "empty"])
@pytest.mark.parametrize("loss", ["bre", "splh"])
@pytest.mark.parametrize("fails_at", [0, 11])
@pytest.mark.parametrize("many", [False, True])
def test_an_interrupted_fit_resumes_with_the_same_bits(
    start, loss, fails_at, many, tmp_path, monkeypatch
):
    affinity = zipf_classes() if many else random_affinity("dense", 30, 1)
    expected, chance = infer(affinity, loss, 8, None, start=start)
    minimise, calls = SignFlip.minimise, []

    def failing(self, *args):
        if len(calls) == fails_at:
            raise KeyboardInterrupt
        calls.append(1)
        return minimise(self, *args)

    def counting(self, *args):
        calls.append(1)
        return minimise(self, *args)

    monkeypatch.setattr(SignFlip, "minimise", failing)
    with pytest.raises(KeyboardInterrupt):
        infer(affinity, loss, 8, tmp_path / "steps", start=start)
    monkeypatch.setattr(SignFlip, "minimise", counting)
    resumed, resumed_chance = infer(affinity, loss, 8, tmp_path / "steps", start=start)
    assert len(calls) == 16  # two cycles of 8 bits: no solve was done twice
    assert np.array_equal(resumed.codes, expected.codes)
    assert np.array_equal(resumed.objective, expected.objective)
    assert resumed_chance == chance


def test_eigenvectors_are_not_found_twice(tmp_path, monkeypatch):
    affinity = random_affinity("neighbors", 30, 1)
    expected, _ = infer(affinity, "laplacian", 2, None)
    monkeypatch.setattr("hashlearn.inference.eigenmap._above_median", lambda V: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        infer(affinity, "laplacian", 2, tmp_path / "steps")
    monkeypatch.undo()
    monkeypatch.setattr("hashlearn.inference.eigenmap.laplacian_eigenvectors", lambda *_: 1 / 0)
    resumed, _ = infer(affinity, "laplacian", 2, tmp_path / "steps")
    assert np.array_equal(resumed.codes, expected.codes)
