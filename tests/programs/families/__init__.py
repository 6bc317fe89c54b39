"""Each family is a function without arguments that gives its programs."""

from .assignments import assignments
from .branches import branches
from .calls import calls
from .constants import constants
from .containers import containers
from .elementwise import elementwise
from .exits import exits
from .linalg import linalg
from .loops import loops
from .memory import memory
from .operators import operators
from .reads import reads
from .reductions import reductions
from .selections import selections

FAMILIES = (
    operators,
    elementwise,
    assignments,
    reads,
    branches,
    loops,
    exits,
    calls,
    containers,
    reductions,
    linalg,
    selections,
    constants,
    memory,
)
