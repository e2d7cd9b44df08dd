// placeholder
export type NonFiniteKind = "nan" | "inf" | "minusInf";
