"""Run the examples and write what they show into docs/examples.md: python docs/examples.py.

Texts are the scripts' own first words; outputs and pictures are those of this run. The table in
examples/README.md is written too.
"""

import ast
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hashlearn.experiments.pictures import shrink_png

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
ORDER = (
    "text_retrieval",
    "image_retrieval",
    "several_labels",
    "new_classes",
    "near_duplicates",
    "rescoring",
)
SCRIPTS = sorted(  # those that are not in the order come last
    EXAMPLES.glob("*.py"),
    key=lambda path: (ORDER.index(path.stem) if path.stem in ORDER else len(ORDER), path.stem),
)
PAGE, TABLE, PICTURES = DOCS / "examples.md", EXAMPLES / "README.md", DOCS / "images" / "examples"

INTRODUCTION = """# Examples

Short scripts that run as they stand, in seconds, without a download. In the folder of the source:

```sh
python examples/text_retrieval.py
```

Parameters are chosen on training items only, or the script says so; baselines stand beside. With
`--quick` they are smaller still: that is how the tests run them. What is shown here was printed and
drawn by `python docs/examples.py`. The texts and digits come with Python, SciPy and scikit-learn,
so other versions of these move the numbers a little.
"""
TABLE_INTRODUCTION = """# Examples

`python examples/NAME.py` runs one, in seconds and without a download; with `--quick` smaller still.
[What they show](../docs/examples.md).

| script | what it is about |
| --- | --- |
"""
# The site shows a script where it is opened; on GitHub these comments are not seen.
SOURCE = """<!-- {{raw}} html
<details><summary>The script</summary>
-->

<!-- {{literalinclude}} ../examples/{name}
:language: python
:lines: {first}-
-->

<!-- {{raw}} html
</details>
-->"""


def words(script: Path) -> tuple[str, str]:
    """Return the first line of a script's docstring and what follows, without how to call it."""
    title, text = (ast.get_docstring(ast.parse(script.read_text())) or "").split("\n\n", 1)
    return title, text.rsplit("\n\n", 1)[0]


def run(script: Path) -> str:
    """Run a script, keep the pictures that it writes, and return what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [sys.executable, script], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
        for picture in Path(folder).glob("*.png"):
            kept = PICTURES / f"{script.stem}-{picture.name}"
            kept.write_bytes(shrink_png(picture.read_bytes()))
    return "\n".join(line.rstrip() for line in result.stdout.splitlines())


def section(script: Path, output: str) -> str:
    """Return a script's part of the page."""
    title, text = words(script)
    heading, _, subject = title.partition(": ")
    parts = [
        f"## {heading}",
        f"[examples/{script.name}](../examples/{script.name}): {subject}",
        text,
        f"```text\n{output}\n```",
    ]
    for picture in sorted(PICTURES.glob(f"{script.stem}-*.png")):
        name = picture.name.removeprefix(f"{script.stem}-")
        parts.append(f"![What {script.name} draws](images/examples/{picture.name})\n*{name}*")
    first = ast.parse(script.read_text()).body[1].lineno  # behind the words that stand above
    parts.append(SOURCE.format(name=script.name, first=first))
    return "\n\n".join(parts) + "\n"


def page(outputs: dict[str, str]) -> str:
    """Return the page, from what each script printed."""
    return "\n".join([INTRODUCTION, *(section(path, outputs[path.name]) for path in SCRIPTS)])


def table() -> str:
    """Return the list of the examples."""
    rows = [f"| [{path.name}]({path.name}) | {words(path)[0]} |\n" for path in SCRIPTS]
    return TABLE_INTRODUCTION + "".join(rows)


def outputs_of(text: str) -> dict[str, str]:
    """Return the outputs that a page shows, by the names of the scripts."""
    return dict(re.findall(r"\[examples/(\w+\.py)\].*?```text\n(.*?)\n```", text, flags=re.DOTALL))


def main() -> None:
    """Run the scripts that are named, or all, and write the page and the list."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    outputs = outputs_of(PAGE.read_text()) if PAGE.is_file() else {}
    for script in SCRIPTS:
        if not sys.argv[1:] or script.stem in sys.argv[1:] or script.name not in outputs:
            outputs[script.name] = run(script)
    PAGE.write_text(page(outputs))
    TABLE.write_text(table())


if __name__ == "__main__":
    main()
