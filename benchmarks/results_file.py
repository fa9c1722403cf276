"""File of results: a line of JSON per run, so that a benchmark can go on where it stopped."""

import json
import sys


class Results:
    """Lines of a file, one per run; without a file they are kept in memory."""

    def __init__(self, path):
        self.path = path
        written = path.read_text().splitlines() if path and path.exists() else []
        self.lines = [json.loads(text) for text in written]

    def line(self, key, run):
        """Return the line of a key: the stored one, or that of a new run."""
        for line in self.lines:
            if key.items() <= line.items():
                return line
        line = {**key, **run()}
        self.lines.append(line)
        if self.path:
            with self.path.open("a") as file:
                file.write(json.dumps(line) + "\n")
        print(" ".join(map(str, line.values())), file=sys.stderr, flush=True)
        return line
