// Measures of axes.

/** Pixels around the field, for the numbers on its axes. */
export const MARGIN = { left: 44, right: 14, top: 8, bottom: 26 } as const;
