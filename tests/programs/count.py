"""What becomes of the programs of a family: `python -m tests.programs.count memory [PART]`.

Prints how many are right, refused (by reason, with an example), wrong and crashed.
"""

import collections
import multiprocessing
import sys

import numpy as np

from srcgrad import SrcgradError

from .axes import PROGRAMS
from .harness import check_loaded
from .reference import loaded


def outcome(number):
    """(what, why, id) for one program."""
    program = PROGRAMS[number]
    try:
        with loaded(program) as function, np.errstate(all="ignore"):
            check_loaded(program, function)
    except SrcgradError as error:
        return "refused", f"{error.slug}: {error.message}", program.id
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())[:150], program.id
    except Exception as error:  # a fault of the product, or of the program
        return "crashed", f"{type(error).__name__}: {error}"[:150], program.id
    return "right", "", program.id


def main(family, part=""):
    numbers = [k for k, p in enumerate(PROGRAMS) if p.family == family and part in p.id]
    with multiprocessing.get_context("spawn").Pool(2) as pool:  # each with files of its own
        found = pool.map(outcome, numbers, chunksize=20)
    print(dict(collections.Counter(what for what, _, _ in found)))
    reasons = collections.defaultdict(list)
    for what, why, identity in found:
        if what != "right":
            reasons[what, why.split("'")[0] if what != "wrong" else ""].append((identity, why))
    for (what, why), ids in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        print(f"{len(ids):5} {what} {why}")
        for identity, said in ids[: 12 if what == "wrong" else 2]:
            print(f"        {identity}  {said if what == 'wrong' else ''}")


if __name__ == "__main__":
    main(*sys.argv[1:])
