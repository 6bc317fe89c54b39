"""Generated for hand/search.py."""


# gradient with respect to a: float; keeps x
def primal_grad(a: float):
    # forward sweep
    x_kept = []
    x = a
    trips = 0
    while True:
        trips += 1
        step = (x - a / x) / 2
        x_kept.append(x)
        x = x - step
        if abs(step) < 1e-12:
            break
    value = x
    # reverse sweep
    x_bar = 1.0  # return x
    a_bar = 0.0
    for _ in range(trips):
        difference_bar = -(x_bar / 2)  # step = (x - a / x) / 2
        x_bar += difference_bar
        ratio_bar = -difference_bar
        x = x_kept.pop()  # x = x - step
        a_bar += ratio_bar / x  # step = (x - a / x) / 2
        x_bar -= ratio_bar * (a / x) / x
    a_bar += x_bar  # x = a
    return value, a_bar


# tangent with respect to a: float
def primal_tangent(a: float, a_dot):
    x_dot = a_dot
    x = a
    while True:
        ratio = a / x
        step = (x - ratio) / 2
        x_dot = x_dot - (x_dot - (a_dot / x - x_dot * ratio / x)) / 2
        x = x - step
        if abs(step) < 1e-12:
            break
    value_dot = x_dot
    value = x
    return value, value_dot
