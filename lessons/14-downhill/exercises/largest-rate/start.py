def largest_rate(curvatures):
    return 2 / curvatures[0]
