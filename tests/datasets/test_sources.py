from pathlib import Path

from hashlearn.datasets._readers.sources import data_folders, find_file, missing


def test_folders_are_searched_in_order(monkeypatch, tmp_path):
    for number, variable in enumerate(("HASHLEARN_DATA", "SCIKIT_LEARN_DATA")):
        monkeypatch.setenv(variable, str(tmp_path / str(number)))
    order = [tmp_path / "first", tmp_path / "0", tmp_path / "1"]
    assert data_folders(tmp_path / "first") == order
    for folder in order:
        folder.mkdir()
    for folder in reversed(order):
        (folder / "a").touch()
        assert find_file(["a"], [], tmp_path / "first") == folder / "a"


def test_a_search_creates_no_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    assert find_file(["a"], ["b"], tmp_path / "given") is None
    assert not list(tmp_path.iterdir())


def test_the_home_folder_may_be_a_tilde():
    assert data_folders("~/sets")[0] == Path.home() / "sets"


def test_an_empty_variable_is_ignored(monkeypatch):
    monkeypatch.setenv("HASHLEARN_DATA", "")
    assert len(data_folders()) == 1


def test_the_folder_itself_comes_before_its_subfolders(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").touch()
    assert find_file(["a"], ["sub"], tmp_path) == tmp_path / "sub" / "a"
    (tmp_path / "a").touch()
    assert find_file(["a"], ["sub"], tmp_path) == tmp_path / "a"


def test_the_error_names_files_and_all_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("HASHLEARN_DATA", str(tmp_path / "variable"))
    message = str(missing("mnist", ["a.gz", "b.gz"], tmp_path / "given", why="No network."))
    assert "a.gz, b.gz" in message
    assert all(repr(str(folder)) in message for folder in data_folders(tmp_path / "given"))
    assert message.endswith("No network.")
