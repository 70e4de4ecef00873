"""Tables of the papers: as they were printed, and computed again."""

from . import _core
from ._arguments import number
from ._options import _nearest
from ._result import Result


def papers():
    """The published tables: id -> dict of paper, title, problem (of the gallery), rows (labels).

    >>> import daedal
    >>> len(daedal.papers()) > 5
    True
    """
    return {row[0]: dict(paper=row[1], title=row[2], problem=row[3], rows=row[4])
            for row in _core.papers_list()}


def paper_table(name, row=None):
    """A table computed again, or one of its rows (a number).

    The result has `name`, `title` and `cells`, a list of dicts: `row` (its label), `quantity`,
    `printed`, `computed`, `verdict` ("digits" where the printed digits come out, ..), `reason`
    where the print is not what the method gives, and `message` where the run ended early.

    >>> import daedal
    >>> table = daedal.paper_table(next(iter(daedal.papers())), 0)
    >>> table.cells[0]["verdict"] != "differs"
    True
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a text, not {type(name).__name__}")
    known = papers()
    if name not in known:
        raise ValueError(f"there is no table {name!r}{_nearest(name, list(known))}")
    labels = known[name]["rows"]
    if row is not None and not 0 <= number(row, "row") < len(labels):
        raise ValueError(f"row must be 0 .. {len(labels) - 1}, not {row}")
    cells = []
    for i in range(len(labels)) if row is None else [int(row)]:
        _, message, found = _core.papers_row(name, i)
        cells += [dict(row=labels[i], quantity=quantity, printed=printed, computed=computed,
                       verdict=verdict, reason=reason, message=message)
                  for quantity, printed, computed, verdict, reason in found]
    return Result(name=name, title=known[name]["title"], cells=cells)
