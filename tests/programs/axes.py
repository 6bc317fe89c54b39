"""All programs: the product of axes, one family a module of `families`."""

import dataclasses
import re

from . import families

# What the accepted language does not have yet: right, or refused with the place.
NOT_YET = re.compile(
    r"assignments/(del|f-string|star-array|star-call)"
    r"|calls/(functions-in-tuple|inner-function|lambda-(both|called|closure|[wx]-))"
    r"|containers/(append-(lists|nested-array|tuple)|array-comprehension|dict-(call|int-keys)|layers|list-(of-array|extend)"
    r"|tolist-of-data)"
    r"|loops/(comprehension|dict-(items|keys|values)|pairs|sorted)"
)

FAMILIES = families.FAMILIES
PROGRAMS = [
    dataclasses.replace(program, may_refuse=True) if NOT_YET.match(program.id) else program
    for make in FAMILIES
    for program in make()
]
BY_ID = {program.id: program for program in PROGRAMS}


def grouped(most=40):
    """Programs that are one text called on several inputs, as lists of at most `most`."""
    groups = {}
    for program in PROGRAMS:
        if not program.may_refuse and "-returned" not in program.id:
            groups.setdefault((program.family, program.source, program.wrt), []).append(program)
    chunks = (
        group[start : start + most] for group in groups.values() for start in range(0, len(group), most)
    )
    return [chunk for chunk in chunks if len(chunk) > 1]
