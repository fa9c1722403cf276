"""A fit that was killed goes on where it was, to the same bits."""

import signal
import time

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hashlearn import TwoStepHasher
from hashlearn.files import checkpoint
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash
from tests.processes import speaking

N_ITEMS = 3000
HASH_FUNCTIONS = {
    "linear-svm": LinearSVMHash(),
    # features of all items do not fit: the sample comes first, then passes over all
    "kernel-features": KernelFeaturesHash(n_anchors=300, max_memory="1MB"),
}


def items():
    return make_blobs(N_ITEMS, n_features=16, centers=40, cluster_std=3.0, random_state=0)


def fit(name, folder, random_state=0):
    X, y = items()
    hasher = TwoStepHasher(24, hash_function=HASH_FUNCTIONS[name], random_state=random_state)
    return hasher.fit(X, y, checkpoint=folder)


def assert_equal(hasher, other):
    X, _ = items()
    np.testing.assert_array_equal(hasher.codes_, other.codes_)
    np.testing.assert_array_equal(hasher.objective_, other.objective_)
    np.testing.assert_array_equal(hasher.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(hasher.hash_function_.coef_, other.hash_function_.coef_)


def fit_slowly(name, folder):
    """What the killed process does: every step is written, and takes a little longer."""
    checkpoint.FLUSH_SECONDS = 0.0
    record = checkpoint._Journal.record

    def record_slowly(self, step):
        record(self, step)
        print(step.name, flush=True)
        time.sleep(0.02)

    checkpoint._Journal.record = record_slowly
    fit(name, folder)


def kill_after(n_steps, name, folder):
    """Start a fit in a process of its own and kill it after some steps."""
    with speaking(fit_slowly, name, folder) as (process, printed):
        steps = [printed.readline() for _ in range(n_steps)]
        process.kill()
    assert process.exitcode == -signal.SIGKILL
    assert all(steps), "the fit was over before it was killed"
    return [step.strip() for step in steps]


@pytest.mark.parametrize("name", HASH_FUNCTIONS)
@pytest.mark.parametrize("n_steps", [10, pytest.param(60, marks=pytest.mark.slow)])
def test_a_killed_fit_resumes_to_the_same_codes_and_hash_function(name, n_steps, tmp_path):
    folder = tmp_path / "fit"
    kill_after(n_steps, name, folder)
    assert list(folder.glob("*.steps"))
    assert_equal(fit(name, folder), fit(name, None))
    assert not folder.exists()


@pytest.mark.slow
def test_what_was_done_before_the_kill_is_not_done_again(tmp_path, monkeypatch):
    done = kill_after(60, "kernel-features", tmp_path / "fit")
    again = []
    record = checkpoint._Journal.record

    def spy(self, step):
        again.append(step.name)
        record(self, step)

    monkeypatch.setattr(checkpoint._Journal, "record", spy)
    fit("kernel-features", tmp_path / "fit")
    resumed = len(again)
    again.clear()
    fit("kernel-features", tmp_path / "anew")
    assert again[: len(done)] == done
    assert len(again) - len(done) - 1 <= resumed <= len(again) - len(done)


def test_a_fit_without_seed_resumes_too(tmp_path, monkeypatch):
    X, y = items()
    seen = []

    def stop(self, X, Z, *args):
        seen.append(Z.copy())
        raise KeyboardInterrupt

    monkeypatch.setattr(LinearSVMHash, "_fit_machines", stop)
    hasher = TwoStepHasher(24, hash_function="linear-svm")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            hasher.fit(X, y, checkpoint=tmp_path / "fit")
    np.testing.assert_array_equal(seen[0], seen[1])


def test_other_data_is_refused(tmp_path):
    kill_after(10, "linear-svm", tmp_path / "fit")
    X, y = items()
    hasher = TwoStepHasher(24, hash_function=HASH_FUNCTIONS["linear-svm"], random_state=0)
    with pytest.raises(ValueError, match="another y"):
        hasher.fit(X, y[::-1], checkpoint=tmp_path / "fit")
    with pytest.raises(ValueError, match="another parameters"):
        hasher.set_params(n_bits=8).fit(X, y, checkpoint=tmp_path / "fit")


def test_stagewise_learning_keeps_no_checkpoint(tmp_path):
    X, y = items()
    with pytest.raises(ValueError, match="stagewise"):
        TwoStepHasher(4, stagewise=True).fit(X, y, checkpoint=tmp_path / "fit")
