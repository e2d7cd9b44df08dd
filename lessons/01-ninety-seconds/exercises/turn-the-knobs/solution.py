import glowgrad as torch


def turn(knobs, gradient, rate):
    """The knobs after one step that makes the loss smaller."""
    return knobs - rate * gradient
