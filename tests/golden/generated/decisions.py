"""Generated for hand/decisions.py."""


# gradient with respect to x: float; levels: list of float
def primal_grad(x: float, levels: list):
    # forward sweep
    total = 0.0
    returned = False
    trips = 0
    for level in levels:
        trips += 1
        if level < 0:
            continue
        total = total + level * x
        if total > 3.0:
            returned = True
            break
    value = total * x if returned else total
    # reverse sweep
    value_bar = 1.0
    x_bar = 0.0
    if returned:
        total_bar = value_bar * x  # return total * x
        x_bar = value_bar * total
    else:
        total_bar = value_bar  # return total
    for level in reversed(levels[:trips]):
        if not level < 0:
            x_bar += total_bar * level  # total = total + level * x
    return value, x_bar


# tangent with respect to x: float; levels: list of float
def primal_tangent(x: float, levels: list, x_dot):
    total_dot = 0.0
    total = 0.0
    returned = False
    for level in levels:
        if level < 0:
            continue
        total_dot = total_dot + x_dot * level
        total = total + level * x
        if total > 3.0:
            returned = True
            break
    if returned:
        value_dot = total_dot * x + x_dot * total
        value = total * x
    else:
        value_dot = total_dot
        value = total
    return value, value_dot
