//! A graph as a picture that stands alone: the state after the backward pass, as the page shows it.
//!
//! A pure function of the graph. Sizes and curves are those of the page's stage; positions come
//! laid out from the session. The glow hue appears only where a gradient is. Light by default; the
//! style inside follows the reader's dark mode.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use glowgrad_session::drawing::{LABEL_SIZE, PORT_GAP, PORT_MARGIN, REACH, SHORTEST_REACH};
use glowgrad_session::protocol::{GraphEdge, GraphNode, NodeKind, StageGraph, TraceEvent};
use glowgrad_session::{half_size, name_inside, text_width};

use crate::plot::number;

const MARGIN: f32 = 28.0;

/// The page's colours, once for each theme.
const TOKENS: &str = include_str!("../../../www/src/style/tokens.css");

/// Those of them that a graph is drawn in.
const COLOURS: [&str; 9] = [
    "--ground",
    "--raised",
    "--ink",
    "--quiet",
    "--edge",
    "--glow",
    "--parameter",
    "--input",
    "--error",
];

const STYLE: &str = "\
:root{--glow-text:#945800}\
@media (prefers-color-scheme:dark){:root{--glow-text:var(--glow)}}\
text{font:11px 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;\
fill:var(--quiet);paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}\
.ground{fill:var(--ground)}\
.edge{fill:none;stroke:var(--edge);stroke-width:1.3}\
.trace{fill:none;stroke:var(--glow)}\
.body{fill:var(--raised);stroke:var(--ink);stroke-width:1.3}\
.input .body{stroke:var(--input)}.parameter .body{stroke:var(--parameter);stroke-width:1.6}\
.lit .body{stroke:var(--glow);stroke-width:1.8}.parameter.lit .body{stroke:var(--parameter)}\
.inner{fill:none;stroke:var(--ink);stroke-width:1}.lit .inner{stroke:var(--glow)}\
.aura{fill:none;stroke:var(--glow);stroke-width:7;opacity:.16}\
.gauge{fill:var(--glow);opacity:.5}\
.symbol{font-size:14px;fill:var(--ink);stroke:none}.name{fill:var(--ink)}\
.norm{fill:var(--glow-text);font-weight:600}\
.broken .trace,.broken .body,.broken .inner,.broken .aura{stroke:var(--error);stroke-dasharray:5 3}\
.norm.broken{fill:var(--error)}.broken .gauge{fill:var(--error)}";

/// Draws the graph.
pub(crate) fn draw(graph: &StageGraph, title: &str) -> String {
    let lit = Lit::of(graph);
    let boxes: HashMap<u32, Box> = graph.nodes.iter().map(|n| (n.id, Box::of(n))).collect();
    let (left, top, right, bottom) = bounds(graph, &boxes);
    let (width, height) = (right - left, bottom - top);
    let mut out = String::new();
    let mut push = |text: std::fmt::Arguments<'_>| {
        // Writing to a String cannot fail.
        let _ = out.write_fmt(text);
        out.push('\n');
    };
    push(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1} {top:.1} {width:.1} {height:.1}" width="{width:.0}" height="{height:.0}" role="img" aria-labelledby="title description">"#
    ));
    push(format_args!(
        "<title id=\"title\">{}</title>",
        escaped(title)
    ));
    push(format_args!(
        "<desc id=\"description\">{}</desc>",
        escaped(&description(graph))
    ));
    push(format_args!(
        "<style>:root{{{}}}@media (prefers-color-scheme:dark){{:root{{{}}}}}{STYLE}</style>",
        colours(":root[data-theme=\"light\"] {"),
        colours(":root {")
    ));
    push(format_args!(
        r#"<rect class="ground" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
    ));
    let nodes: HashMap<u32, &GraphNode> = graph.nodes.iter().map(|n| (n.id, n)).collect();
    let mut labels = String::new();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (boxes.get(&edge.from), boxes.get(&edge.to)) else {
            continue;
        };
        let n_operands = nodes.get(&edge.to).map_or(1, |node| node.src.len());
        let path = Path::new(from, to, edge, n_operands);
        push(format_args!(r#"<path class="edge" d="{}"/>"#, path.text()));
        let Some(norm) = lit.edges.get(&(edge.to, edge.operand)) else {
            continue;
        };
        let broken = if norm.is_finite() { "" } else { " broken" };
        push(format_args!(
            r#"<g class="walked{broken}"><path class="trace" stroke-width="{:.2}" stroke-opacity="{:.2}" d="{}"/></g>"#,
            1.3 + 2.2 * lit.level(*norm),
            0.45 + 0.55 * lit.level(*norm),
            path.text()
        ));
        let [x, y] = path.middle();
        // Several edges between the same two nodes run close: their numbers stand one below another.
        let n_beside = graph.edges.iter().filter(|other| {
            (other.from, other.to) == (edge.from, edge.to) && other.operand < edge.operand
        });
        let below = 13.0 * n_beside.count() as f32;
        let _ = writeln!(
            labels,
            r#"<text class="norm{broken}" x="{x:.1}" y="{:.1}">{}</text>"#,
            y - 7.0 + below,
            number(*norm)
        );
    }
    for node in &graph.nodes {
        if let Some(at) = boxes.get(&node.id) {
            push(format_args!("{}", draw_node(node, at, &lit)));
        }
    }
    out.push_str(&labels);
    out.push_str("</svg>\n");
    out
}

/// The colours of the rule of [`TOKENS`] that begins so.
fn colours(selector: &str) -> String {
    let rule = TOKENS.split_once(selector).map_or("", |(_, rule)| rule);
    let rule = rule.split('}').next().unwrap_or("");
    let mut out = String::new();
    for line in rule.split(';') {
        if let Some((name, colour)) = line.trim().split_once(": ")
            && COLOURS.contains(&name)
        {
            let _ = write!(out, "{name}:{colour};");
        }
    }
    out
}

/// Where the gradient came, and how strong it was.
struct Lit {
    nodes: HashMap<u32, f64>,
    /// By consumer and operand.
    edges: HashMap<(u32, u32), f64>,
    accumulated: HashSet<u32>,
    faintest: f64,
    strongest: f64,
}

impl Lit {
    fn of(graph: &StageGraph) -> Self {
        let norms: HashMap<u32, f64> = graph.previews.iter().map(|p| (p.id, p.norm)).collect();
        let norm = |id: &u32| norms.get(id).copied().unwrap_or(0.0);
        let mut lit = Self {
            nodes: HashMap::new(),
            edges: HashMap::new(),
            accumulated: HashSet::new(),
            faintest: f64::INFINITY,
            strongest: 0.0,
        };
        for event in &graph.events {
            match event {
                TraceEvent::Backward { root, gradient } => {
                    lit.nodes.insert(*root, norm(gradient));
                }
                TraceEvent::Vjp {
                    node,
                    gradient,
                    grads,
                } => {
                    lit.nodes.insert(*node, norm(gradient));
                    for (operand, sent) in grads.iter().enumerate() {
                        if let Some(sent) = sent {
                            lit.edges.insert((*node, operand as u32), norm(sent));
                        }
                    }
                }
                TraceEvent::Accumulate { node, .. } => {
                    lit.accumulated.insert(*node);
                }
                TraceEvent::Grad { node, gradient, .. } => {
                    lit.nodes.insert(*node, norm(gradient));
                }
                TraceEvent::Made { .. }
                | TraceEvent::BackwardEnd { .. }
                | TraceEvent::Write { .. } => {}
            }
        }
        for norm in lit.edges.values().filter(|n| n.is_finite() && **n > 0.0) {
            lit.faintest = lit.faintest.min(*norm);
            lit.strongest = lit.strongest.max(*norm);
        }
        lit
    }

    /// How strong a norm is among the others, 0 to 1, on a log scale.
    fn level(&self, norm: f64) -> f64 {
        if norm.is_nan() || norm <= 0.0 {
            return 0.0;
        }
        let (low, high) = (self.faintest.ln(), self.strongest.ln());
        if !norm.is_finite() || high - low < 1e-9 {
            return 1.0;
        }
        ((norm.ln() - low) / (high - low)).clamp(0.0, 1.0)
    }
}

/// A node's place, size and writing.
struct Box {
    x: f32,
    y: f32,
    half_width: f32,
    half_height: f32,
    /// Inside.
    symbol: String,
    /// Above.
    name: String,
}

impl Box {
    fn of(node: &GraphNode) -> Self {
        let [half_width, half_height] = half_size(node);
        let name = node.name.clone().unwrap_or_default();
        let is_leaf = matches!(node.kind, NodeKind::Input | NodeKind::Parameter);
        let (symbol, name) = match name_inside(node) {
            Some(name) => (name.to_owned(), String::new()),
            None if is_leaf => (String::new(), name),
            None => (node.symbol.clone(), name),
        };
        Self {
            x: node.x,
            y: node.y,
            half_width,
            half_height,
            symbol,
            name,
        }
    }
}

fn draw_node(node: &GraphNode, at: &Box, lit: &Lit) -> String {
    let gradient = lit.nodes.get(&node.id);
    let mut classes = match node.kind {
        NodeKind::Input => "input",
        NodeKind::Parameter => "parameter",
        NodeKind::Op => "op",
        NodeKind::Loss => "loss",
        NodeKind::Failed => "failed",
    }
    .to_string();
    if let Some(norm) = gradient {
        classes.push_str(" lit");
        if !norm.is_finite() {
            classes.push_str(" broken");
        }
    }
    let mut out = format!(
        r#"<g class="{classes}" transform="translate({:.1} {:.1})">"#,
        at.x, at.y
    );
    if gradient.is_some() {
        out.push_str(&outline(node.kind, at, "aura", 2.0));
    }
    out.push_str(&outline(node.kind, at, "body", 0.0));
    if node.kind == NodeKind::Parameter && gradient.is_some() {
        out.push_str(&outline(node.kind, at, "gauge", -3.0));
    }
    if node.kind == NodeKind::Loss {
        out.push_str(&outline(node.kind, at, "inner", -4.0));
    }
    let mut text = |class: &str, x: f32, y: f32, text: &str| {
        if !text.is_empty() {
            let _ = write!(
                out,
                r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#,
                escaped(text)
            );
        }
    };
    text("symbol", 0.0, 5.0, &at.symbol);
    text("name", 0.0, -at.half_height - 9.0, &at.name);
    text(
        "shape",
        0.0,
        at.half_height + 16.0,
        &shape_text(&node.shape),
    );
    if let (NodeKind::Parameter, Some(norm)) = (node.kind, gradient) {
        text(
            "norm",
            0.0,
            at.half_height + 30.0,
            &format!("grad {}", number(*norm)),
        );
    }
    if lit.accumulated.contains(&node.id) {
        text("norm", at.half_width + 10.0, at.half_height + 4.0, "+=");
    }
    out.push_str("</g>");
    out
}

/// The shape of a kind: circle, hexagon, pill.
fn outline(kind: NodeKind, at: &Box, class: &str, grow: f32) -> String {
    let radius = at.half_width + grow;
    match kind {
        NodeKind::Input => format!(r#"<circle class="{class}" r="{radius:.1}"/>"#),
        NodeKind::Parameter => {
            let (half, side) = (radius / 2.0, radius * 3f32.sqrt() / 2.0);
            format!(
                r#"<polygon class="{class}" points="{:.1},0 {:.1},{:.1} {half:.1},{:.1} {radius:.1},0 {half:.1},{side:.1} {:.1},{side:.1}"/>"#,
                -radius, -half, -side, -side, -half
            )
        }
        NodeKind::Op | NodeKind::Loss | NodeKind::Failed => {
            let (w, h) = (at.half_width + grow, at.half_height + grow);
            format!(
                r#"<rect class="{class}" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{h:.1}"/>"#,
                -w,
                -h,
                2.0 * w,
                2.0 * h
            )
        }
    }
}

type Point = [f32; 2];

/// A chain of cubics from a source to its consumer, each leaving and arriving level.
struct Path(Vec<[Point; 4]>);

impl Path {
    fn new(from: &Box, to: &Box, edge: &GraphEdge, n_operands: usize) -> Self {
        let mut points = vec![[from.x + from.half_width, from.y]];
        points.extend(&edge.points);
        points.push(port(to, edge.operand, n_operands));
        let cubics = points.windows(2).map(|pair| {
            let (start, end) = (pair[0], pair[1]);
            let reach = (REACH * (end[0] - start[0]).abs()).max(SHORTEST_REACH);
            [
                start,
                [start[0] + reach, start[1]],
                [end[0] - reach, end[1]],
                end,
            ]
        });
        Self(cubics.collect())
    }

    fn text(&self) -> String {
        let mut text = format!("M{:.1} {:.1}", self.0[0][0][0], self.0[0][0][1]);
        for [_, b, c, d] in &self.0 {
            let _ = write!(
                text,
                "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
                b[0], b[1], c[0], c[1], d[0], d[1]
            );
        }
        text
    }

    fn middle(&self) -> Point {
        let [a, b, c, d] = self.0[self.0.len() / 2];
        let half = self.0.len() % 2 == 1;
        let mix = |i: usize| {
            if half {
                (a[i] + 3.0 * b[i] + 3.0 * c[i] + d[i]) / 8.0
            } else {
                a[i]
            }
        };
        [mix(0), mix(1)]
    }
}

/// Ports stand in the order of the operands, on the rounded end of the pill.
fn port(to: &Box, operand: u32, n_operands: usize) -> Point {
    let gaps = n_operands.saturating_sub(1).max(1) as f32;
    let gap = ((2.0 * to.half_height - PORT_MARGIN) / gaps).min(PORT_GAP);
    let offset = (operand as f32 - (n_operands as f32 - 1.0) / 2.0) * gap;
    let radius = to.half_height;
    let inset = radius - (radius * radius - offset * offset).max(0.0).sqrt();
    [to.x - to.half_width + inset, to.y + offset]
}

/// Left, top, right, bottom of everything drawn.
fn bounds(graph: &StageGraph, boxes: &HashMap<u32, Box>) -> (f32, f32, f32, f32) {
    let (mut left, mut top) = (f32::INFINITY, f32::INFINITY);
    let (mut right, mut bottom) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    let mut include = |x: f32, y: f32| {
        (left, right) = (left.min(x), right.max(x));
        (top, bottom) = (top.min(y), bottom.max(y));
    };
    for node in &graph.nodes {
        let Some(at) = boxes.get(&node.id) else {
            continue;
        };
        let shape = shape_text(&node.shape);
        let text = text_width(&at.name, LABEL_SIZE).max(text_width(&shape, LABEL_SIZE));
        let wide = at.half_width.max(text / 2.0);
        include(at.x - wide, at.y - at.half_height - 14.0);
        include(at.x + wide, at.y + at.half_height + 30.0);
    }
    for edge in &graph.edges {
        for [x, y] in &edge.points {
            include(*x, *y);
        }
    }
    if left > right {
        return (0.0, 0.0, 1.0, 1.0);
    }
    (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN)
}

fn description(graph: &StageGraph) -> String {
    let lit = Lit::of(graph);
    let count = |kind| graph.nodes.iter().filter(|node| node.kind == kind).count();
    format!(
        "A graph of {} operations on {} parameters and {} inputs. {} edges carried a gradient.",
        count(NodeKind::Op) + count(NodeKind::Loss),
        count(NodeKind::Parameter),
        count(NodeKind::Input),
        lit.edges.len()
    )
}

fn shape_text(shape: &[usize]) -> String {
    format!("{shape:?}")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in XML, and a name may come from a learner's string.
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::tests::example;

    #[test]
    fn every_node_and_edge_is_there_in_its_shape() {
        let picture = draw(&example(), "x.py");
        assert_eq!(picture.matches(r#"<path class="edge""#).count(), 5);
        assert_eq!(picture.matches(r#"<path class="trace""#).count(), 4);
        assert_eq!(picture.matches(r#"<circle class="body""#).count(), 1);
        assert_eq!(picture.matches(r#"<polygon class="body""#).count(), 1);
        assert_eq!(picture.matches(r#"<polygon class="gauge""#).count(), 1);
        assert_eq!(picture.matches(r#"<rect class="body""#).count(), 3);
        assert_eq!(picture.matches(r#"<rect class="inner""#).count(), 1);
        assert!(picture.contains(">grad 4</text>"), "{picture}");
        assert_eq!(picture.matches(">+=</text>").count(), 1);
    }

    #[test]
    fn every_colour_is_the_pages() {
        for (selector, ground) in [
            (":root {", "#0e1116"),
            (":root[data-theme=\"light\"] {", "#fbfaf7"),
        ] {
            let found = colours(selector);
            assert_eq!(found.matches(';').count(), COLOURS.len(), "{found}");
            assert!(found.contains(&format!("--ground:{ground};")), "{found}");
        }
    }

    #[test]
    fn norms_stand_on_the_edges_that_carried_them() {
        let picture = draw(&example(), "x.py");
        for norm in ["1.5", "3", "2"] {
            assert!(
                picture.contains(&format!(">{norm}</text>")),
                "{norm}: {picture}"
            );
        }
        assert!(picture.contains("4 edges carried a gradient"));
    }

    #[test]
    fn names_cannot_break_out_of_the_picture() {
        let picture = draw(&example(), "</title><script>");
        assert!(picture.contains("&lt;data&gt;"));
        assert!(!picture.contains("<script>"));
    }

    #[test]
    fn a_gradient_that_is_not_a_number_is_marked() {
        let mut graph = example();
        graph.previews[2].norm = f64::NAN;
        let picture = draw(&graph, "x.py");
        assert_eq!(picture.matches(r#"class="norm broken""#).count(), 1);
    }

    #[test]
    fn an_empty_graph_is_an_empty_picture() {
        let picture = draw(&StageGraph::default(), "x.py");
        assert!(picture.contains(r#"viewBox="0.0 0.0 1.0 1.0""#));
    }

    #[test]
    fn strong_gradients_are_wide() {
        let lit = Lit::of(&example());
        assert_eq!(lit.level(3.0), 1.0);
        assert_eq!(lit.level(1.5), 0.0);
        assert_eq!(lit.level(0.0), 0.0);
        assert_eq!(lit.level(f64::NAN), 0.0);
        assert_eq!(lit.level(f64::INFINITY), 1.0);
    }
}
