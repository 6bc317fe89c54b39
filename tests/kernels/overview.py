"""What becomes of each kernel: `python -m tests.kernels.overview`."""

import copy
import inspect

import numpy as np

from srcgrad import SrcgradError, grad

from .cases import CASES
from .reference import gradients, seed_of, value_of


def main():
    for case in CASES:
        lines = len(inspect.getsource(case.function).splitlines())
        try:
            value, _ = value_of(case, copy.deepcopy(case.arguments))
            seed = seed_of(value)
            df = grad(
                case.function, wrt=case.wrt, of=case.of, **({} if np.ndim(value) == 0 else {"seed": seed})
            )
            answer, gradient = df(*copy.deepcopy(case.arguments))
        except SrcgradError as error:
            print(f"{case.name:24} refused {error}")
            continue
        except Exception as error:
            print(f"{case.name:24} crashed {type(error).__name__} {error}")
            continue
        wanted = gradients(case, seed if np.ndim(value) else 1.0)
        off = max(
            np.max(np.abs(g - w)) / (1 + np.max(np.abs(w))) for g, w in zip(gradient, wanted, strict=True)
        )
        text = df.source_for(*copy.deepcopy(case.arguments))
        made = len([line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")])
        kept = " keeps" if "_kept" in text and case.linear else ""
        print(
            f"{case.name:24} {'right' if off < 1e-6 else 'WRONG'} {off:8.1e}  {made / lines:5.2f} times its lines{kept}"
        )


if __name__ == "__main__":
    main()
