"""Every script in examples/ runs as it stands, and shows what it says."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hashlearn.experiments.pictures import WRONG
from tests.processes import PROCESSES

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
IMPORTS = (ast.Import, ast.ImportFrom)
LONG = ("image_retrieval", "new_classes", "pipeline_grid_search", "several_labels")


def values(output: str, title: str) -> list[float]:
    """Return the numbers in the line that starts with a title."""
    lines = [line.strip() for line in output.splitlines() if line.strip().startswith(title)]
    assert len(lines) == 1, f"{len(lines)} lines start with {title!r}:\n{output}"
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", lines[0][len(title) :])]


def check_python_docs(output: str, folder: Path) -> None:
    by_bits, itq, bae, rescored = (
        values(output, title)
        for title in ("itq   ", "itq, queries as floats", "bae, queries as floats", "bae, 100")
    )
    assert all(a < b for a, b in zip(by_bits, itq, strict=True))
    assert bae[0] < bae[1] < bae[2] < 1
    assert itq[1] < bae[1]
    assert min(rescored) > 0.95
    modules = ("zipfile", "threading", "pathlib", "subprocess")
    for module, answers in zip(modules, output.split("and 8 bytes\n")[1:], strict=True):
        for name in answers.splitlines()[0].split():  # the first by floats, and by codes
            assert name.startswith(f"{module}.")
    cosine, learned = values(output, "cosine of floats")[1:], values(output, "tsh")[1:]
    assert learned[0] > cosine[0] + 0.3  # MAP of known modules
    assert learned[2] < cosine[2]  # and of new ones


def check_text_retrieval(output: str, folder: Path) -> None:
    titles = "cosine similarity of TF-IDF", "random codes (LSH)", "two-step hashing"
    (cosine, size), (random, _), (learned, code_size) = (values(output, title) for title in titles)
    assert learned > 0.9 > cosine > random
    assert code_size == 4 < size / 20
    packages = ("optimize", "linalg", "special")
    for package, answer in zip(packages, output.split("?\n")[1:], strict=True):
        assert answer.startswith(f"  {package}.")


def check_image_retrieval(output: str, folder: Path) -> None:
    learned, unsupervised = values(output, "tsh, GIST")[0], values(output, "itq, GIST")[0]
    assert learned > unsupervised + 0.2
    assert learned > values(output, "tsh, pixels")[0]
    red = np.array([int(WRONG[i : i + 2], 16) for i in (1, 3, 5)])
    for method in "itq", "tsh":
        picture = np.asarray(Image.open(folder / f"neighbours-{method}.png").convert("RGB"))
        assert min(picture.shape[:2]) > 100
        assert method == "tsh" or (picture == red).all(axis=2).sum() > 500


def check_several_labels(output: str, folder: Path) -> None:
    rules = "share a digit", "Jaccard of 1/2", "graded, the default"
    sharing, jaccard, graded = (values(output, rule)[-3:] for rule in rules)
    assert sharing[0] > jaccard[0]  # each rule's codes are the best for its own search
    assert sharing[1] < jaccard[1]
    assert min(sharing[0], jaccard[0], graded[0]) > values(output, "no labels (ITQ)")[0] + 0.2
    n_strips, n_sets, _ = map(
        int, re.match(r"(\d+) strips, (\d+) .* (\d+) queries", output).groups()
    )
    assert n_sets < n_strips / 2


def check_new_classes(output: str, folder: Path) -> None:
    titles = "labels alone (TSH)", "geometry alone (ITQ)", "mixed   "
    labels, geometry, mixed = (values(output, title) for title in titles)
    assert mixed[0] > geometry[0]
    assert mixed[1] > labels[1]
    assert "\nlabel bits " in output


def check_near_duplicates(output: str, folder: Path) -> None:
    precision, recall, _ = values(output, "within radius")[1:]
    assert min(precision, recall) > 0.9
    assert values(output, "equal up to capitals")[1] < 0.5
    first, *others = output.split("the largest:\n")[1].split("\n\n")[0].splitlines()
    assert len(others) >= 2
    for text in others:  # the last word may be cut off
        assert len(set(first.split()) & set(text.split())) > len(text.split()) / 2


def check_rescoring(output: str, folder: Path) -> None:
    assert values(output, "candidates") == [10, 20, 50, 100]
    for method in "lsh", "itq", "tsh":
        bits, margins, vectors = (
            values(output, f"{method}, {way}") for way in ("bits alone", "margins", "vectors")
        )
        assert len(set(bits)) == 1  # more candidates in the same order are the same first ones
        assert vectors == sorted(vectors)
        assert vectors[-1] > max(0.9, margins[-1])
        assert margins[-1] > bits[-1]


def check_custom_classifier(output: str, folder: Path) -> None:
    (random,) = values(output, "random codes (LSH)")
    for name in "logistic regression", "decision tree", "extra trees", "Nystroem + logistic":
        score, missed = values(output, name)
        assert score > random + 0.2
        assert missed < values(output, "naive Bayes")[1]  # percent of bits
    assert values(output, "hashlearn's rbf-svm")[0] > values(output, "hashlearn's linear-svm")[0]


def check_custom_loss(output: str, folder: Path) -> None:
    bre, own = values(output, "bre"), values(output, "look-up  ")
    heavier = values(output, "LookUpLoss(weight=4)")
    assert own[0] > max(bre[0], heavier[0])  # precision
    assert heavier[1] > max(bre[1], own[1])  # recall
    assert output.endswith("the same codes: True\n")
    assert (folder / "look-up.hashlearn").is_file()


def check_pipeline_grid_search(output: str, folder: Path) -> None:
    scores = [float(score) for score in re.findall(r"^  (\d\.\d+)  \S+-svm", output, flags=re.M)]
    assert len(scores) == 6
    titles = "random codes (LSH)", "simplest of the grid", "chosen"
    random, simplest, chosen = (values(output, title) for title in titles)
    assert random < simplest < chosen
    assert scores[0] < max(scores)


CHECKS = {
    "custom_classifier": check_custom_classifier,
    "custom_loss": check_custom_loss,
    "image_retrieval": check_image_retrieval,
    "near_duplicates": check_near_duplicates,
    "pipeline_grid_search": check_pipeline_grid_search,
    "python_docs": check_python_docs,
    "rescoring": check_rescoring,
    "several_labels": check_several_labels,
    "text_retrieval": check_text_retrieval,
}


def run_forked(script: Path, folder: Path, *words: str) -> None:
    """Run a script as `python -W error SCRIPT --quick WORDS` does, the library imported before."""
    for stream, name in ((1, "stdout"), (2, "stderr")):
        with (folder / name).open("w") as output:
            os.dup2(output.fileno(), stream)
    os.chdir(folder)
    warnings.resetwarnings()
    warnings.simplefilter("error")
    sys.argv = [str(script), "--quick", *words]
    sys.path.insert(0, str(script.parent))
    runpy.run_path(str(script), run_name="__main__")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(script, marks=[pytest.mark.slow] if script.stem in LONG else [])
        for script in SCRIPTS
    ],
    ids=lambda script: script.stem,
)
def test_an_example_runs_and_shows_what_it_says(script, tmp_path):
    process = PROCESSES.Process(target=run_forked, args=(script, tmp_path))
    process.start()
    process.join()
    output = (tmp_path / "stdout").read_text()
    assert (process.exitcode, (tmp_path / "stderr").read_text()) == (0, "")
    assert output.strip()
    if script.stem in CHECKS:
        CHECKS[script.stem](output, tmp_path)


@pytest.mark.slow
def test_a_typed_question_is_answered(tmp_path):
    script = ROOT / "examples" / "python_docs.py"
    question = "wait for several threads to finish"
    process = PROCESSES.Process(target=run_forked, args=(script, tmp_path, question))
    process.start()
    process.join()
    output = (tmp_path / "stdout").read_text()
    assert (process.exitcode, (tmp_path / "stderr").read_text()) == (0, "")
    answers = output.split("8 bytes\n")[1].splitlines()
    assert answers[0].split() == 2 * ["threading.Thread.join"]
    assert len(answers) == 3


def test_a_program_that_takes_warnings_for_errors_can_import_what_examples_import(tmp_path):
    trees = [ast.parse(script.read_text()) for script in SCRIPTS]
    nodes = [node for tree in trees for node in tree.body if isinstance(node, IMPORTS)]
    lines = {ast.unparse(node) for node in nodes} - {"from __future__ import annotations"}
    command = [sys.executable, "-W", "error", "-c", "\n".join(sorted(lines))]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_page_and_the_list_of_examples_say_what_the_scripts_say():
    spec = importlib.util.spec_from_file_location("examples_page", ROOT / "docs" / "examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shown = module.PAGE.read_text()
    assert shown == module.page(module.outputs_of(shown)), "run: python docs/examples.py"
    assert module.TABLE.read_text() == module.table(), "run: python docs/examples.py"
