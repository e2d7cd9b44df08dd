// The hues of lines, by series. None is the gradient's.
export const COLOURS = ["--forward", "--parameter", "--input", "--ink"];
