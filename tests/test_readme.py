"""The README's examples run as they stand and show what they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_first_example_runs(tmp_path):
    block = re.search(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL).group(1)
    assert len(block.strip().splitlines()) <= 11
    (tmp_path / "example.py").write_text(block)
    result = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    share, summary = result.stdout.split("\n", 1)
    assert float(share) > 0.9
    assert "training items, 32 bits" in summary
    assert (tmp_path / "digits.hashlearn").is_file()


def test_the_commands_run_from_a_table_to_search_results(tmp_path):
    section = README.read_text().split("## From the command line")[1].split("\n## ")[0]
    make_table, commands = re.findall(r"```sh\n(.*?)```", section, flags=re.DOTALL)
    programs = re.findall(r"^hashlearn (\w+) ", commands, flags=re.MULTILINE)
    assert programs == ["fit", "info", "evaluate", "index", "search"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def run(lines):
        result = subprocess.run(
            ["sh", "-ec", lines],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        assert "warning" not in result.stderr
        return result.stdout

    run(make_table)
    fit, info, evaluate, index, search = map(run, commands.splitlines())
    assert (fit, index) == ("", "")
    assert re.search(r"^training items +1,000$", info, flags=re.MULTILINE)
    assert float(re.search(r"precision at 100 +(\S+)", evaluate).group(1)) > 0.85
    assert len(re.findall(r"^ +\d+ +(?:\d+\s\(\d+\)\s+){5}$", search, flags=re.MULTILINE)) == 20
    assert "777 more queries" in search
