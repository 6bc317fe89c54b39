"""Strings and numbers to text: literals that a person would write, on one line, that give back the same object."""

import ast
import math


def quoted(value: str | bytes, single: bool) -> str:
    """A string in double quotes, in single ones where asked or where double ones would need an escape."""
    text = repr(value)
    quote = '"' if isinstance(value, str) else b'"'
    if single or quote in value or text.endswith('"'):
        return text
    start = text.index("'")
    return text[:start] + '"' + text[start + 1 : -1] + '"'


def escaped(value: str, quote: str, only_in_the_way: bool = False) -> str:
    """The inside of a literal, on one line; quotes that are not in the way of a triple one may stay."""
    last = len(value) - 1
    result: list[str] = []
    for index, character in enumerate(value):
        if character == "\\" or not character.isprintable():
            result.append(repr(character)[1:-1])
        elif character == quote and (
            not only_in_the_way or index == last or value[index - 1 : index] == quote
        ):
            result.append("\\" + character)
        else:
            result.append(character)
    return "".join(result)


def number(value: int | float | complex) -> str:
    """A number as an expression of literals: `-1.0`, `2j`, `1.5 - 2j`; exact, the signs of zeros too."""
    if isinstance(value, complex):
        return complex_number(value)
    if isinstance(value, int):
        try:
            return repr(value)
        except ValueError:  # more decimal digits than int() reads
            return hex(value)
    if math.isnan(value):
        raise ValueError("a constant that is not a number (NaN) has no literal")
    if math.isinf(value):
        return 'float("inf")' if value > 0 else '-float("inf")'
    return repr(value)


def complex_number(value: complex) -> str:
    if not (math.isfinite(value.real) and math.isfinite(value.imag)):
        raise ValueError("a complex constant that is not finite has no literal")
    imaginary = f"{abs(value.imag)!r}j".replace(".0j", "j")
    real = repr(value.real)
    spellings = [imaginary, "-" + imaginary, f"{real} + {imaginary}", f"{real} - {imaginary}"]
    for text in spellings:
        if repr(ast.literal_eval(text)) == repr(value):
            return text
    raise ValueError(f"the complex constant {value!r} has no literal that keeps the signs of its zeros")
