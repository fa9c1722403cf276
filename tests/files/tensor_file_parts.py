"""For the tests of tensor files: taking them apart, editing them, making them fit again."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import Any

from hashlearn.files import _tensor_file as tensor_file


@dataclass
class Parts:
    """A tensor file taken apart: entries of the header, document, bytes of the arrays."""

    name: str
    entries: dict[str, Any]
    document: dict[str, Any]
    data: bytes

    @classmethod
    def of(cls, content: bytes) -> Parts:
        end = header_end(content)
        entries = json.loads(content[8:end])
        [(name, text)] = entries.pop("__metadata__").items()
        return cls(name, entries, json.loads(text), content[end:])

    def join(self) -> bytes:
        metadata = {self.name: json.dumps(self.document)}
        header = json.dumps({"__metadata__": metadata, **self.entries}).encode()
        header += b" " * (-len(header) % 8)
        return struct.pack("<Q", len(header)) + header + self.data

    def seal(self) -> None:
        """Give the document the checksum that fits it."""
        self.document.pop("sha256", None)
        self.document["sha256"] = tensor_file._digest(self.document)

    def seal_arrays(self) -> None:
        """Let the document say of the arrays what the header says, and of their sums the truth."""
        self.document["tensors"] = self.entries
        digests = {name: self._digest(entry) for name, entry in self.entries.items()}
        self.document["digests"] = digests
        self.seal()

    def _digest(self, entry: Any) -> str:
        try:
            start, stop = entry["data_offsets"]
            return hashlib.sha256(self.data[start:stop]).hexdigest()
        except (LookupError, TypeError, ValueError):
            return "no array has such an entry"


def header_end(content: bytes) -> int:
    return 8 + struct.unpack("<Q", content[:8])[0]


def rewrite(path, edit, *, keep_digest=False):
    """Edit the document of a file, as an ill-meaning or newer writer would."""
    parts = Parts.of(path.read_bytes())
    edit(parts.document)
    if not keep_digest:
        parts.seal()
    path.write_bytes(parts.join())
