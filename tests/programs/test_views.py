"""Views: every spelling of NumPy's that shows an array's memory, or may, times what is written and what is read.

The functions are made from text, one module to a product, as a user would have written them.
"""

import importlib.util

import numpy as np
import pytest

from srcgrad import SrcgradError

from .test_found import check

# Of a matrix `m` of 4 by 4; which of them NumPy lets one write through.
SPELLINGS = {
    "alias": "m",
    "row": "m[1]",
    "rows": "m[1:3]",
    "column": "m[:, 1]",
    "reversed": "m[::-1]",
    "newaxis": "m[None]",
    "ellipsis": "m[..., 2]",
    "turned": "m.T",
    "transpose": "np.transpose(m)",
    "transpose_axes": "np.transpose(m, (1, 0))",
    "transpose_method": "m.transpose()",
    "permute_dims": "np.permute_dims(m, (1, 0))",
    "matrix_transpose": "np.matrix_transpose(m)",
    "mT": "m.mT",
    "swapaxes": "np.swapaxes(m, 0, 1)",
    "swapaxes_method": "m.swapaxes(0, 1)",
    "moveaxis": "np.moveaxis(m, 0, 1)",
    "rollaxis": "np.rollaxis(m, 1)",
    "reshape": "np.reshape(m, (2, 8))",
    "reshape_method": "m.reshape(16)",
    "reshape_turned": "m.T.reshape(16)",
    "ravel": "np.ravel(m)",
    "ravel_method": "m.ravel()",
    "flatten": "m.flatten()",
    "squeeze": "np.squeeze(m[None])",
    "squeeze_method": "m[None].squeeze()",
    "expand_dims": "np.expand_dims(m, 0)",
    "diagonal": "np.diagonal(m)",
    "diagonal_offset": "np.diagonal(m, 1)",
    "diagonal_method": "m.diagonal()",
    "linalg_diagonal": "np.linalg.diagonal(m)",
    "diag": "np.diag(m)",
    "flip": "np.flip(m)",
    "fliplr": "np.fliplr(m)",
    "flipud": "np.flipud(m)",
    "rot90": "np.rot90(m)",
    "broadcast_to": "np.broadcast_to(m, (2, 4, 4))",
    "broadcast_arrays": "np.broadcast_arrays(m, np.zeros((2, 4, 4)))[0]",
    "asarray": "np.asarray(m)",
    "asanyarray": "np.asanyarray(m)",
    "asarray_dtype": "np.asarray(m, dtype=float)",
    "ascontiguousarray": "np.ascontiguousarray(m)",
    "asfortranarray": "np.asfortranarray(m)",
    "asarray_chkfinite": "np.asarray_chkfinite(m)",
    "require": "np.require(m)",
    "array": "np.array(m)",
    "array_no_copy": "np.array(m, copy=False)",
    "array_copy_if_needed": "np.array(m, copy=None)",
    "copy": "m.copy()",
    "np_copy": "np.copy(m)",
    "astype": "m.astype(float)",
    "astype_no_copy": "m.astype(float, copy=False)",
    "atleast_1d": "np.atleast_1d(m)",
    "atleast_2d": "np.atleast_2d(m[0])",
    "atleast_3d": "np.atleast_3d(m)",
    "float64": "np.float64(m)",
    "real": "m.real",
    "np_real": "np.real(m)",
    "conj": "m.conj()",
    "np_conj": "np.conj(m)",
    "diff_none": "np.diff(m, n=0)",
    "matrix_power_1": "np.linalg.matrix_power(m, 1)",
    "matrix_power_2": "np.linalg.matrix_power(m, 2)",
    "einsum_same": "np.einsum('ij->ij', m)",
    "einsum_turned": "np.einsum('ij->ji', m)",
    "einsum_diagonal": "np.einsum('ii->i', m)",
    "einsum_sum": "np.einsum('ij->i', m)",
    "split": "np.split(m, 2)[0]",
    "array_split": "np.array_split(m, 3)[1]",
    "hsplit": "np.hsplit(m, 2)[1]",
    "vsplit": "np.vsplit(m, 2)[1]",
    "unstack": "np.unstack(m)[2]",
    "item": "list(m)[1]",
    "sum_axis": "np.sum(m, axis=0)",
    "sum_no_axis": "np.sum(m, axis=())",
    "take": "np.take(m, [0, 2], axis=0)",
    "fancy": "m[[0, 2]]",
    "mask": "m[m > 0]",
    "clip": "np.clip(m, -9, 9)",
    "round": "np.positive(m)",
    "plus": "+m",
    "where": "np.where(m > 99, 0.0, m)",
    "tile_1": "np.tile(m, 1)",
    "repeat_1": "np.repeat(m, 1, axis=0)",
    "roll_0": "np.roll(m, 0)",
    "concatenate_1": "np.concatenate([m])",
    "stack_1": "np.stack([m])",
    "pad_0": "np.pad(m, 0)",
    "tril_all": "np.tril(m, 9)",
    "cumsum": "np.cumsum(m, axis=0)",
    "sort": "np.sort(m)",
    "nan_to_num": "np.nan_to_num(m)",
    "nan_to_num_no_copy": "np.nan_to_num(m, copy=False)",
    "maximum_self": "np.maximum(m, m)",
    "multi_dot": "np.linalg.multi_dot([m, np.eye(4)])",
    "view": "m.view()",
    "conditional": "m if k > 1 else m[0:2]",
    "chosen": "(m, x)[0]",
}
SHAPES = {
    "write_array": """
        v = {v}
        m[1] = x * x
        m[:, 2] = np.sin(x)
        return np.sum(np.sin(v) * 1.5) + np.sum(v * v) + np.sum(m * m)
    """,
    "write_view": """
        v = {v}
        v[1] = x[0] * x[1]
        v[0] *= x[2]
        return np.sum(np.sin(m)) + np.sum(v * v)
    """,
    "write_all_of_the_view": """
        v = {v}
        v *= x[0]
        return np.sum(np.sin(m)) + np.sum(v * v)
    """,
    "loop": """
        s = 0.0
        for i in range(k):
            v = {v}
            m[i] = m[i] * x + v[0] * v[-1]
            s = s + np.sum(v * v)
        return s + np.sum(m * x)
    """,
    "view_of_view": """
        v = {v}
        w = v[1:]
        m[2] = x * x
        return np.sum(w * w * w) + np.sum(v) * np.sum(m * m)
    """,
    "argument": """
        v = {v}
        written(m, x)
        return np.sum(v * v) + np.sum(np.sin(m))
    """,
    "argument_view": """
        v = {v}
        written(v, x[0])
        return np.sum(v * v) + np.sum(np.sin(m))
    """,
}
BODIES = [
    (f"{shape}_{name}", SHAPES[shape].replace("{v}", v)) for shape in SHAPES for name, v in SPELLINGS.items()
]


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    lines = ["import numpy as np", "", "", "def written(a, v):", "    a[0] = v * v", "    a[-1] *= v", ""]
    for name, body in BODIES:
        text = body.replace("\n    ", "\n").rstrip()
        lines += [
            "",
            f"def {name}(x, k):",
            "    m = np.outer(np.cos(x), x) + 0.1 * np.eye(4)",
            text.lstrip("\n"),
        ]
    path = tmp_path_factory.mktemp("views") / "views_written.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location("views_written", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("name", [name for name, _ in BODIES])
def test_a_view_is_seen_through_or_refused(module, name):
    function, arguments = getattr(module, name), (np.array([0.4, -1.1, 0.7, 1.3]), 3)
    try:
        function(*[np.array(a) if isinstance(a, np.ndarray) else a for a in arguments])
    except (ValueError, TypeError, IndexError, AttributeError, np.linalg.LinAlgError) as error:
        pytest.skip(f"NumPy itself: {error}")
    try:
        check(function, arguments)
    except SrcgradError as error:
        assert error.slug in {"alias", "no-rule", "keyword", "method", "unknown-type", "write"}, error
