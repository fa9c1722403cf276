"""Laws of checkpoints: what was done is not done again, and other work is refused."""

import numpy as np
import pytest

from hashlearn.files import CheckpointFileError, checkpoint, checkpointing, remember


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "FLUSH_SECONDS", 0.0)  # every step at once
    return tmp_path / "steps"


class Work:
    """Five steps that draw numbers; interrupted before one of them, if asked to be."""

    def __init__(self):
        self.done = []

    def run(self, folder, *, stop=None, seed=0, work=None, error=KeyboardInterrupt):
        given = np.random.RandomState(seed)
        with checkpointing(folder, work or {"work": "a"}, given) as random_state:
            return [self._step(i, stop, random_state, error) for i in range(5)]

    def _step(self, i, stop, random_state, error):
        def compute():
            if i == stop:
                raise error
            self.done.append(i)
            return random_state.normal(size=3), np.array(i)

        return remember(f"step {i}", compute, random_state)[0]


@pytest.mark.parametrize("stop", range(5))
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_interrupted_work_goes_on_to_the_same_numbers(folder, stop, error):
    undisturbed = Work().run(None)
    work = Work()
    with pytest.raises(error):
        work.run(folder, stop=stop, error=error)
    # without a seed the second run would start elsewhere: the start is a step too
    np.testing.assert_array_equal(work.run(folder, seed=0 if stop == 0 else 1), undisturbed)
    assert work.done == [0, 1, 2, 3, 4]


def test_work_may_be_interrupted_again_and_again(folder):
    work = Work()
    for stop in range(5):
        with pytest.raises(KeyboardInterrupt):
            work.run(folder, stop=stop)
    np.testing.assert_array_equal(work.run(folder), Work().run(None))
    assert work.done == [0, 1, 2, 3, 4]


def test_nothing_is_left_when_the_work_is_done(folder):
    Work().run(folder)
    assert not folder.exists()


def test_files_of_others_are_left_alone(folder):
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    Work().run(folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_work_that_fails_before_its_first_step_leaves_nothing(folder):
    with pytest.raises(KeyboardInterrupt):
        Work().run(folder, stop=0)
    assert not folder.exists()


def test_other_work_is_refused(folder):
    with pytest.raises(KeyboardInterrupt):
        Work().run(folder, stop=3)
    with pytest.raises(ValueError, match="other work, with another X"):
        Work().run(folder, work={"work": "a", "X": "b"})


def test_another_step_at_the_same_place_is_refused(folder):
    with pytest.raises(KeyboardInterrupt):
        Work().run(folder, stop=3)
    with (
        pytest.raises(ValueError, match="'step 0', not 'another'"),
        checkpointing(folder, {"work": "a"}, np.random.RandomState(0)),
    ):
        remember("another", lambda: np.zeros(1))


def test_a_damaged_file_is_refused_by_name(folder):
    with pytest.raises(KeyboardInterrupt):
        Work().run(folder, stop=3)
    path = sorted(folder.glob("*.steps"))[1]
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(CheckpointFileError, match=path.name):
        Work().run(folder)


def test_a_missing_file_is_noticed(folder):
    with pytest.raises(KeyboardInterrupt):
        Work().run(folder, stop=3)
    (folder / "000001.steps").unlink()
    with pytest.raises(ValueError, match=r"lacks the file '000001\.steps'"):
        Work().run(folder)


def test_what_a_killed_writer_left_goes_too(folder):
    folder.mkdir()
    (folder / ".hashlearn-0123456789abcdef.tmp").write_text("half")
    Work().run(folder)
    assert not folder.exists()


def test_the_callers_random_state_is_left_alone(folder):
    with pytest.raises(KeyboardInterrupt):
        Work().run(folder, stop=3)
    given, other = np.random.RandomState(1), np.random.RandomState(1)
    with checkpointing(folder, {"work": "a"}, given) as random_state:
        assert random_state is not given
    assert given.normal() == other.normal()


def test_results_are_laid_out_alike_at_first_and_later(folder):
    transposed = np.arange(6.0).reshape(2, 3).T
    for context in (None, folder):
        with checkpointing(context, {}, np.random.RandomState(0)):
            assert remember("step", lambda: transposed).flags.c_contiguous


def test_steps_inside_of_a_step_are_part_of_it(folder):
    inner = []

    def compute():
        inner.append(remember("inner", lambda: np.zeros(2)))
        return inner[-1] + 1

    def run():
        with checkpointing(folder, {}, np.random.RandomState(0)):
            np.testing.assert_array_equal(remember("outer", compute), [1, 1])
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run()
    assert len(inner) == 1


def test_short_steps_share_a_file(folder, monkeypatch):
    monkeypatch.setattr(checkpoint, "FLUSH_SECONDS", 60.0)
    with pytest.raises(KeyboardInterrupt):
        Work().run(folder, stop=4)
    assert len(list(folder.iterdir())) == 1
    work = Work()
    np.testing.assert_array_equal(work.run(folder), Work().run(None))
    assert work.done == [4]


def test_a_folder_that_cannot_be_made_is_refused_before_any_work(tmp_path):
    work = Work()
    with pytest.raises(FileNotFoundError):
        work.run(tmp_path / "no" / "such")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        work.run(tmp_path / "file")
    assert work.done == []
