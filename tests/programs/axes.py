"""All programs: the product of axes, one family a module of `families`."""

from . import families

FAMILIES = families.FAMILIES
PROGRAMS = [program for make in FAMILIES for program in make()]
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
