"""Writers: every spelling of NumPy's that writes an array in place, times what the array is and where it is written."""

import importlib.util

import numpy as np
import pytest

from srcgrad import SrcgradError

from .test_found import check

# Each writes `a`, of shape (4,), by `v` of the same shape; `i` is an index that changes from trip to trip.
WRITERS = {
    "item": "a[i] = v[0] * v[1]",
    "item_aug": "a[i] *= v[2]",
    "item_pow": "a[i] **= 2",
    "item_div": "a[i] /= v[1]",
    "item_floor": "a[i] //= 1.0",
    "item_mod": "a[i] %= 0.83",
    "negative": "a[-1 - i] = v[0]",
    "slice": "a[1:] = v[1:] * a[:-1]",
    "slice_overlap": "a[1:] = a[:-1]",
    "slice_aug_overlap": "a[1:] += a[:-1]",
    "slice_step": "a[::2] *= v[::2]",
    "slice_backwards": "a[::-1] = v * a",
    "slice_reversed_self": "a[:] = a[::-1]",
    "slice_run": "a[:i] = v[:i]",
    "ellipsis": "a[...] = v * v",
    "newaxis": "a[None, 1:] = v[1:]",
    "scalar_broadcast": "a[1:3] = v[0]",
    "list_value": "a[:2] = [v[0], v[1] * 2.0]",
    "tuple_of_numbers": "a[1:3] = v[2], v[0] * v[0]",
    "nested_list_value": "a.reshape(2, 2)[:] = [[v[0], v[1]], [v[2], 1.0]]",
    "list_of_one_array": "a[None] = [v * v]",
    "copyto_list": "np.copyto(a, [v[0], v[1] * v[1], 2.0, v[0]])",
    "tuple_value": "a[0], a[1] = v[2], a[0]",
    "swap": "a[0], a[i] = a[i], a[0]",
    "chain": "a[0] = a[2] = v[3] * v[0]",
    "fancy": "a[[0, 2]] = v[[1, 3]]",
    "fancy_repeat": "a[[0, 0, 1]] = v[[1, 2, 3]]",
    "fancy_aug_repeat": "a[[0, 0, 1]] += v[[1, 2, 3]]",
    "fancy_array": "a[np.array([2, 0])] *= v[:2]",
    "mask": "a[a > 0.45] = v[1]",
    "mask_array": "a[a > 0.45] = v[a > 0.45]",
    "mask_aug": "a[v > 0] *= 1.5",
    "mask_of_it": "a[a < 0] *= -1.0",
    "add": "a += v",
    "subtract": "a -= v * a",
    "multiply": "a *= v",
    "divide": "a /= v",
    "power": "a **= 2",
    "matmul": "a @= np.outer(v, v)",
    "floor": "a //= 1.0",
    "mod": "a %= 0.83",
    "self": "a += a",
    "self_product": "a *= a",
    "self_view": "a += a[::-1]",
    "self_sum": "a -= np.sum(a) * 0.25",
    "self_max": "a /= np.max(np.abs(a))",
    "out": "np.exp(v, out=a)",
    "out_self": "np.sin(a, out=a)",
    "out_view": "np.sin(a[1:], out=a[:-1])",
    "out_tuple": "np.cos(v, out=(a,))",
    "out_positional": "np.multiply(a, v, a)",
    "out_one_positional": "np.sin(v, a)",
    "out_where": "np.sin(v, out=a, where=v > 0)",
    "out_where_self": "np.sqrt(a, out=a, where=a > 0)",
    "out_binary": "np.add(a, v, out=a)",
    "out_broadcast": "np.add(v[0], v[1], out=a)",
    "out_bound": "b = np.multiply(a, v, out=a)\n{indent}b[0] = v[1]",
    "out_dot": "np.dot(np.outer(v, v), a.copy(), out=a)",
    "out_matmul": "np.matmul(np.outer(v, v), v, out=a)",
    "out_sum": "np.sum(np.outer(v, a), axis=0, out=a)",
    "out_cumsum": "np.cumsum(v, out=a)",
    "out_clip": "np.clip(a, -0.2, 0.65, out=a)",
    "out_clip_method": "a.clip(-0.2, 0.65, out=a)",
    "out_maximum": "np.maximum(a, v, out=a)",
    "out_minimum": "np.minimum(a, 0.3, out=a)",
    "out_take": "np.take(v, [3, 1, 1, 0], out=a)",
    "out_mean": "np.mean(np.outer(v, v), axis=1, out=a)",
    "out_einsum": "np.einsum('i,i->i', v, v, out=a)",
    "out_round": "np.round(v, out=a)",
    "out_concatenate": "np.concatenate([v[:2], a[2:]], out=a)",
    "out_stack": "np.stack([v[0], v[1], v[2], v[3]], out=a)",
    "out_abs": "np.abs(a, out=a)",
    "out_negative": "np.negative(a, out=a)",
    "out_square": "np.square(v, out=a)",
    "out_reciprocal": "np.reciprocal(v, out=a)",
    "copyto": "np.copyto(a, v)",
    "copyto_scalar": "np.copyto(a, v[2])",
    "copyto_view": "np.copyto(a[1:], v[:-1])",
    "copyto_where": "np.copyto(a, v, where=v > 0)",
    "put": "np.put(a, [0, 2], [v[1], v[2]])",
    "put_scalar": "np.put(a, [0, 2], v[1])",
    "put_method": "a.put([0, 2], v[:2])",
    "put_along": "np.put_along_axis(a, np.array([1, 0]), v[:2], 0)",
    "place": "np.place(a, a > 0, v)",
    "putmask": "np.putmask(a, a > 0, v)",
    "add_at": "np.add.at(a, [0, 0, 1], v[:3])",
    "add_at_scalar": "np.add.at(a, i, v[1])",
    "subtract_at": "np.subtract.at(a, [0, 0, 1], v[:3])",
    "multiply_at": "np.multiply.at(a, [0, 0, 1], v[:3])",
    "maximum_at": "np.maximum.at(a, [0, 0, 1], v[:3])",
    "fill": "a.fill(v[1])",
    "fill_constant": "a.fill(0.5)",
    "fill_diagonal": "np.fill_diagonal(a.reshape(2, 2), v[0])",
    "sort": "a.sort()",
    "sort_descending": "a[::-1].sort()",
    "partition": "a.partition(2)",
    "argsort_then": "a[:] = a[np.argsort(a)]",
    "resize": "a.resize((4,))",
    "shuffle": "np.random.shuffle(a)",
    "flat_item": "a.flat[i] = v[0]",
    "flat_slice": "a.flat[1:] = v[1:]",
    "flat_all": "a.flat = v",
    "real_store": "a.real = v",
    "real_item": "a.real[1] = v[1]",
    "shape_store": "a.shape = (2, 2)\n{indent}a.shape = (4,)",
    "view_store": "a[1:][0] = v[0]",
    "reshape_store": "a.reshape(2, 2)[0] = v[:2]",
    "ravel_store": "a.ravel()[1:3] = v[1:3]",
    "turned_store": "a.reshape(2, 2).T[0] *= v[:2]",
    "diagonal_store": "np.einsum('ii->i', a.reshape(2, 2))[:] = v[:2]",
    "setitem": "a.__setitem__(0, v[1])",
    "iadd": "a.__iadd__(v)",
    "operator_iadd": "operator.iadd(a, v)",
    "setattr": "setattr(a, 'real', v)",
    "for_target": "for a[0] in v:\n{indent}    pass",
    "for_rows": "for r in a.reshape(2, 2):\n{indent}    r *= v[:2]",
    "zip_rows": "for r, w in zip(a.reshape(2, 2), v):\n{indent}    r[0] = w",
    "enumerate": "for j, w in enumerate(v):\n{indent}    a[j] += w * a[0]",
    "starred": "a[0], *rest = v\n{indent}a[1] = rest[0]",
    "walrus": "a[(j := i)] = v[0] * v[i]\n{indent}a[0] = v[j]",
    "conditional": "a[0] = v[1] if v[0] > 0 else a[1]",
    "tuple_index": "a[(i,)] = v[0]",
    "ix": "a[np.ix_([0, 2])] = v[:2]",
    "where_index": "a[np.where(v > 0)] = 1.5",
    "nonzero_index": "a[np.nonzero(v > 0)[0]] *= v[1]",
    "slice_object": "a[slice(1, 3)] = v[1:3]",
    "s_": "a[np.s_[1:3]] = v[1:3]",
    "argmax": "a[np.argmax(v)] = v[0]",
    "bool_index": "a[True] = v",
    "frombuffer": "np.frombuffer(a)[0] = v[0]",
    "lib_nan": "np.nan_to_num(a, copy=False)",
    "swap_rows": "a[[0, 1]] = a[[1, 0]]",
    "roll": "a[:] = np.roll(a, 1)",
    "del_": "del a[0]",
    "insert": "a[1:] = np.insert(a, 0, v[0])[1:4]",
}
WHERE = {
    "own": """
        a = x * 1.5
        v = np.cos(x)
        i = k
        {w}
        return np.sum(a * a * x) + np.sum(np.sin(a))
    """,
    "argument": """
        a, i = x, k
        v = np.array([0.3, -0.8, 0.9, 0.4])
        {w}
        return np.sum(a * a) + np.sum(np.sin(x))
    """,
    "loop": """
        a = x * 1.5
        s = 0.0
        v = np.cos(x)
        for i in range(3):
            s = s + np.sum(a * a * v)
            {w}
        return s + np.sum(a * a * x)
    """,
    "view": """
        m = np.outer(np.cos(x), x)
        v = np.sin(x)
        i = k
        for a in m[1:3]:
            {w}
        return np.sum(m * m * x)
    """,
    "column": """
        m = np.outer(np.cos(x), x)
        v, i = np.sin(x), k
        a = m[:, 1]
        {w}
        return np.sum(m * m * x) + np.sum(a * a)
    """,
    "branch": """
        a = x * 1.5
        b = a
        v, i = np.sin(x), k
        if x[0] > 0:
            {w}
        else:
            a[0] = 0.0
        return np.sum(a * a * x) + np.sum(b * v)
    """,
    "inactive_value": """
        a, i = x * 1.5, k
        v = np.array([0.3, -0.8, 0.9, 0.4])
        w = a * a
        {w}
        return np.sum(a * a * x) + np.sum(w)
    """,
    "scratch": """
        a = np.zeros(4)
        s = 0.0
        for i in range(3):
            v = np.cos(x * (i + 1))
            {w}
            s = s + np.sum(a * a * v)
        return s
    """,
}


def bodies():
    for where, text in WHERE.items():
        for name, writer in WRITERS.items():
            lines = []
            for line in text.strip("\n").split("\n"):
                if line.strip() == "{w}":
                    indent = line[4 : len(line) - len(line.lstrip())]
                    lines += [indent + writer.replace("{indent}", indent)]
                elif line.strip():
                    lines.append(line[4:])
            yield f"{where}_{name}", "\n".join(lines)


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    lines = ["import operator", "import numpy as np", ""]
    for name, body in bodies():
        lines += ["", f"def {name}(x, k):", body, ""]
    path = tmp_path_factory.mktemp("writers") / "arrays_written.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location("arrays_written", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("name", [name for name, _ in bodies()])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_write_is_differentiated_or_refused(module, name):
    function, arguments = getattr(module, name), (np.array([0.4, -1.1, 0.7, 1.3]), 1)
    try:
        with np.errstate(all="ignore"):
            value = function(*[np.array(a) if isinstance(a, np.ndarray) else a for a in arguments])
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        pytest.skip(f"NumPy itself: {error}")
    if not np.isfinite(value):
        pytest.skip("no number")
    try:
        check(function, arguments)
    except SrcgradError as error:
        assert error.slug and error.hint, error
