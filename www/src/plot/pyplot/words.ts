// A chart in words: mathematical texts as plain ones, and what a screen reader says.
import type { ChartData, Mark } from "./schema";

const LETTERS: Record<string, string> = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  delta: "δ",
  epsilon: "ε",
  varepsilon: "ε",
  zeta: "ζ",
  eta: "η",
  theta: "θ",
  iota: "ι",
  kappa: "κ",
  lambda: "λ",
  mu: "μ",
  nu: "ν",
  xi: "ξ",
  pi: "π",
  rho: "ρ",
  sigma: "σ",
  tau: "τ",
  phi: "φ",
  varphi: "φ",
  chi: "χ",
  psi: "ψ",
  omega: "ω",
  Gamma: "Γ",
  Delta: "Δ",
  Theta: "Θ",
  Lambda: "Λ",
  Xi: "Ξ",
  Pi: "Π",
  Sigma: "Σ",
  Phi: "Φ",
  Psi: "Ψ",
  Omega: "Ω",
  times: "×",
  cdot: "·",
  div: "÷",
  pm: "±",
  leq: "≤",
  le: "≤",
  geq: "≥",
  ge: "≥",
  neq: "≠",
  ne: "≠",
  approx: "≈",
  sim: "∼",
  propto: "∝",
  infty: "∞",
  partial: "∂",
  nabla: "∇",
  sum: "Σ",
  prod: "Π",
  int: "∫",
  sqrt: "√",
  to: "→",
  rightarrow: "→",
  leftarrow: "←",
  in: "∈",
  ell: "ℓ",
  circ: "°",
  ldots: "…",
  dots: "…",
  cdots: "…",
  log: "log",
  ln: "ln",
  exp: "exp",
  sin: "sin",
  cos: "cos",
  tan: "tan",
  max: "max",
  min: "min",
  quad: " ",
  Vert: "‖",
  mid: "|",
  degree: "°",
};
const ABOVE: Record<string, string> = {
  hat: "\u0302",
  bar: "\u0304",
  tilde: "\u0303",
  vec: "\u20d7",
  dot: "\u0307",
};
const tableOf = (from: string, to: string) => {
  const signs = [...to];
  return new Map([...from].map((each, place) => [each, signs[place]]));
};
const RAISED = tableOf("0123456789+-−=()niTxyk", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵀˣʸᵏ");
const LOWERED = tableOf("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ");

/** A text with `$…$` in it as letters that every font has. */
export function plain(text: string): string {
  if (!text.includes("$")) return text;
  return text.replace(/(?<!\\)\$([^$]*)\$/g, (_, maths: string) => spoken(maths)).replaceAll("\\$", "$");
}

function spoken(maths: string): string {
  return maths
    .replace(
      /\\(hat|bar|tilde|vec|dot)\s*\{?(\w)\}?/g,
      (_, mark: string, letter: string) => letter + ABOVE[mark],
    )
    .replace(/\\(?:mathrm|mathbf|mathit|mathcal|mathbb|text|textbf|rm|bf)\b\s*/g, "")
    .replace(/\\d?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\([A-Za-z]+)(?: (?=[\w\\]))?/g, (_, name: string) => LETTERS[name] ?? name)
    .replace(/\\[,;:! ]/g, " ")
    .replaceAll("\\|", "‖")
    .replace(/\^(?:\{([^{}]*)\}|(.))/g, (_, many = "", one = "") => shifted(many || one, RAISED, "^"))
    .replace(/_(?:\{([^{}]*)\}|(.))/g, (_, many = "", one = "") => shifted(many || one, LOWERED, "_"))
    .replace(/[{}]/g, "")
    .replaceAll("-", "−");
}

function shifted(text: string, table: Map<string, string | undefined>, sign: string): string {
  const found = [...text].map((each) => table.get(each));
  if (found.every((each) => each !== undefined)) return found.join("");
  return text.length > 1 ? `${sign}(${text})` : sign + text;
}

const WORDS: Record<Mark["kind"], [string, string]> = {
  line: ["line", "lines"],
  points: ["set of points", "sets of points"],
  bars: ["set of bars", "sets of bars"],
  area: ["area", "areas"],
  polygon: ["shape", "shapes"],
  segments: ["set of segments", "sets of segments"],
  rule: ["rule", "rules"],
  text: ["text", "texts"],
  image: ["image", "images"],
};

/** What a screen reader says of a chart. */
export function describe(chart: ChartData): string {
  const parts = chart.axes.map((axes) => {
    const counts = new Map<Mark["kind"], number>();
    for (const { kind } of axes.marks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const what = [...counts].map(([kind, many]) => `${many} ${WORDS[kind][many === 1 ? 0 : 1]}`);
    const labels = axes.marks.map(({ label }) => plain(label)).filter(Boolean);
    const along = [axes.xlabel && `x: ${plain(axes.xlabel)}`, axes.ylabel && `y: ${plain(axes.ylabel)}`];
    const said = [
      what.join(", ") || "nothing",
      labels.length ? `named ${labels.slice(0, 8).join(", ")}` : "",
      ...along.filter(Boolean),
    ].filter(Boolean);
    return `${axes.title ? `${plain(axes.title)}: ` : ""}${said.join("; ")}`;
  });
  const most = 6;
  const rest = parts.length > most ? ` And ${parts.length - most} more.` : "";
  const head = chart.title ? `Chart ${plain(chart.title)}` : "Chart";
  const several = parts.length > 1 ? ` with ${parts.length} axes` : "";
  return `${head}${several}. ${parts.slice(0, most).join(". ")}.${rest}`;
}
