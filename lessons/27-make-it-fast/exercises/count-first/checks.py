def check_product_operations():
    """Each step of a sum is a multiplication and an addition."""
    expect(product_cost(1, 3, 1)[0], 6, given="m = 1, k = 3, n = 1: the operations")
    expect(product_cost(2, 3, 5)[0], 60, given="m = 2, k = 3, n = 5: the operations")


def check_product_bytes():
    """Both operands are read and the result is written."""
    expect(product_cost(1, 1, 1)[1], 12, given="m = 1, k = 1, n = 1: the bytes")
    expect(product_cost(2, 3, 5)[1], 124, given="m = 2, k = 3, n = 5: the bytes")


def check_add():
    """An add does one operation for each element, reads two numbers and writes one."""
    expect(add_cost(10), (10, 120), given="n = 10")


def check_slope():
    """With little intensity, memory is the limit."""
    expect(roof(1, 2, 100.0, 20.0), 10.0, given="1 operation, 2 bytes, peak 100, bandwidth 20")


def check_flat():
    """With much intensity, the processor is the limit."""
    expect(roof(50, 1, 100.0, 20.0), 100.0, given="50 operations, 1 byte, peak 100, bandwidth 20")


def check_together():
    """An add of a million numbers is below the slope, a product of 600 × 600 matrices below the flat part."""
    given = ", peak 100, bandwidth 24"
    expect(roof(*add_cost(1000000), 100.0, 24.0), 2.0, given="the costs of an add of a million numbers" + given)
    expect(roof(*product_cost(600, 600, 600), 100.0, 24.0), 100.0, given="those of a product of 600 × 600" + given)
