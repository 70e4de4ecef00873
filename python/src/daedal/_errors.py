"""Exceptions of the package."""

import re

from .trace.node import TraceError

__all__ = ["ModelError", "TraceError"]


class ModelError(ValueError):
    """A model text has an error: `lineno` is its line, `text` that line of the source."""

    def __init__(self, messages, source=None):
        super().__init__(messages)
        lines = (messages or "").splitlines()
        self.lineno, self.text = None, None
        for i, line in enumerate(lines):
            place = re.match(r".*?:(\d+):\d+: (?:error|warning)", line)
            if place and ("error" in line or self.lineno is None):
                self.lineno = int(place.group(1))
                self.text = lines[i + 1].strip() if i + 1 < len(lines) else None
                if "error" in line:
                    break
        if source is not None and self.lineno is not None:
            rows = source.splitlines()
            if 0 < self.lineno <= len(rows):
                self.text = rows[self.lineno - 1]
