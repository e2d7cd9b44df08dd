def largest_rate(curvatures):
    return 2 / max(curvatures)
