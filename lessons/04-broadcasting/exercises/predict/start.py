# For each pair, the shape of the sum, such as (2, 3), or "error".
predictions = {
    "(3, 4) + (4,)": None,
    "(3, 1) + (1, 4)": None,
    "(2, 3) + (2,)": None,
    "(4,) + (4, 1)": None,
    "() + (2, 2)": None,
    "(5, 1, 4) + (3, 1)": None,
    "(4, 2) + (4,)": None,
    "(1,) + (0,)": None,
}
