//! The end of a kernel that reduces: by one invocation for each element of the result, or, where many
//! elements become one, by a workgroup.

use super::super::expression::{Dialect, Piece};
use super::{Printer, local};
use crate::dtype::DType;
use crate::kernel::{Reduce, ReduceOp};
use crate::lane::ScalarOp;

/// Invocations of a workgroup that reduces together.
const LANES: usize = 256;

/// From how many elements on a workgroup reduces them together.
pub(super) const TOGETHER: usize = LANES;

fn finds(op: ReduceOp) -> bool {
    matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin)
}

impl Printer<'_> {
    /// The dtype of what is reduced.
    fn reduced(&self) -> DType {
        self.kernel.dtypes[usize::from(self.kernel.outputs[0])]
    }

    /// One invocation runs over all elements of its result.
    pub(super) fn alone(&mut self, reduce: &Reduce) {
        let of = self.reduced();
        self.start(reduce, of);
        let outside = self.page.depth;
        let axes = reduce.axes.iter();
        for &axis in axes.filter(|&&axis| self.kernel.shape[axis] != 1) {
            let (i, n) = (&self.indices[axis], self.kernel.shape[axis]);
            let text = format!("for (var {i} = 0u; {i} < {n}u; {i} += 1u) {{");
            self.page.line(&[], &text);
            self.page.depth += 1;
        }
        let value = self.statements();
        let here = self.here(reduce);
        self.join(reduce, of, value, &here);
        while self.page.depth > outside {
            self.page.depth -= 1;
            self.page.line(&[], "}");
        }
        let result = if finds(reduce.op) { "best_at" } else { "total" };
        self.store(result, self.kernel.output_dtype(0));
    }

    /// A workgroup for each element of the result: each invocation takes every 256th of `n` elements,
    /// then halves join halves.
    pub(super) fn together(&mut self, reduce: &Reduce, n: usize, n_output: usize) {
        let (of, stored) = (self.reduced(), self.stored.clone());
        let finds = finds(reduce.op);
        let kind = match local(of) {
            "bool" => "u32",
            kind => kind,
        };
        let page = &mut self.page;
        page.line(
            &stored,
            &format!("var<workgroup> part: array<{kind}, {LANES}>;"),
        );
        if finds {
            page.line(
                &stored,
                &format!("var<workgroup> part_at: array<i32, {LANES}>;"),
            );
        }
        page.line(&[], "");
        page.line(&[], &format!("@compute @workgroup_size({LANES})"));
        page.line(&[], "fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {");
        page.depth += 1;
        page.line(&[], "let at = group.y * groups.x + group.x;");
        page.line(&[], &format!("if (at >= {n_output}u) {{ return; }}"));
        let kept = self.kept();
        self.unravel("at", &kept);
        self.start(reduce, of);
        let text = format!("for (var step = lane; step < {n}u; step += {LANES}u) {{");
        self.page.line(&[], &text);
        self.page.depth += 1;
        let axes = reduce.axes.iter().copied();
        let axes: Vec<usize> = axes.filter(|&axis| self.kernel.shape[axis] != 1).collect();
        self.unravel("step", &axes);
        let value = self.statements();
        let here = self.here(reduce);
        self.join(reduce, of, value, &here);
        self.page.depth -= 1;
        self.page.line(&[], "}");
        let is_bool = local(of) == "bool";
        let pack = |text: &str| match is_bool {
            true => format!("u32({text})"),
            false => text.to_owned(),
        };
        let page = &mut self.page;
        page.line(&stored, &format!("part[lane] = {};", pack("total")));
        if finds {
            page.line(&stored, "part_at[lane] = best_at;");
        }
        page.line(&[], "workgroupBarrier();");
        let half = LANES / 2;
        page.line(
            &[],
            &format!("for (var width = {half}u; width > 0u; width >>= 1u) {{"),
        );
        page.depth += 1;
        page.line(&[], "if (lane < width) {");
        page.depth += 1;
        if finds {
            self.join_found(reduce, of);
        } else {
            let side = |at: &str| match is_bool {
                true => Piece::atom(format!("(part[{at}] != 0u)")),
                false => Piece::atom(format!("part[{at}]")),
            };
            let op = scalar(reduce.op);
            let sum = self
                .wgsl
                .apply(op, of, &[side("lane"), side("lane + width")]);
            self.page
                .line(&stored, &format!("part[lane] = {};", pack(&sum.text)));
        }
        let page = &mut self.page;
        page.depth -= 1;
        page.line(&[], "}");
        page.line(&[], "workgroupBarrier();");
        page.depth -= 1;
        page.line(&[], "}");
        page.line(&[], "if (lane == 0u) {");
        page.depth += 1;
        let result = match (finds, is_bool) {
            (true, _) => "part_at[0]",
            (_, true) => "(part[0] != 0u)",
            _ => "part[0]",
        };
        self.store(result, self.kernel.output_dtype(0));
        self.close();
        self.close();
    }

    /// Of two findings the better one, and of equal ones the first.
    fn join_found(&mut self, reduce: &Reduce, of: DType) {
        let stored = self.stored.clone();
        let page = &mut self.page;
        page.line(&stored, "let mine = part[lane];");
        page.line(&stored, "let other = part[lane + width];");
        page.line(
            &stored,
            "let first = part_at[lane + width] < part_at[lane];",
        );
        let (a, b) = match reduce.op {
            ReduceOp::ArgMax => (Piece::atom("mine"), Piece::atom("other")),
            _ => (Piece::atom("other"), Piece::atom("mine")),
        };
        let wins = self.wgsl.apply(ScalarOp::Lt, of, &[a, b]).text;
        let text = if local(of) == "f32" {
            let is_nan = self.wgsl.is_nan();
            format!(
                "let wins = select(({wins} || {is_nan}(other)) && !{is_nan}(mine), first, mine == other || ({is_nan}(mine) && {is_nan}(other)));"
            )
        } else {
            format!("let wins = select({wins}, first, mine == other);")
        };
        let page = &mut self.page;
        page.line(&stored, &text);
        page.line(
            &stored,
            "if (wins) { part[lane] = other; part_at[lane] = part_at[lane + width]; }",
        );
    }

    /// The index along the reduced axis, for what looks for one.
    fn here(&self, reduce: &Reduce) -> String {
        let axis = reduce.axes.first();
        let axis = axis.filter(|&&axis| self.kernel.shape[axis] != 1);
        axis.map_or("0u", |&axis| &self.indices[axis]).to_owned()
    }

    /// What a reduction begins with.
    fn start(&mut self, reduce: &Reduce, of: DType) {
        let kind = local(of);
        let mut extreme = |smallest: bool| match kind {
            "f32" => [if smallest { "-" } else { "" }, &self.wgsl.infinity()].concat(),
            "bool" => (!smallest).to_string(),
            _ if smallest => "i32(-2147483648)".to_owned(),
            _ => "2147483647i".to_owned(),
        };
        let first = match reduce.op {
            ReduceOp::Sum | ReduceOp::Prod => {
                let one = reduce.op == ReduceOp::Prod;
                match kind {
                    "bool" => one.to_string(),
                    "f32" => format!("{}.0f", u8::from(one)),
                    _ => format!("{}i", u8::from(one)),
                }
            }
            ReduceOp::Max | ReduceOp::ArgMax => extreme(true),
            ReduceOp::Min | ReduceOp::ArgMin => extreme(false),
        };
        self.page
            .line(&self.stored, &format!("var total: {kind} = {first};"));
        if finds(reduce.op) {
            self.page.line(&self.stored, "var best_at = 0i;");
        }
    }

    /// An element joins what is there.
    fn join(&mut self, reduce: &Reduce, of: DType, value: Piece, here: &str) {
        let total = Piece::atom("total");
        if finds(reduce.op) {
            let text = format!("let element = {};", value.text);
            self.page.line(&self.stored, &text);
            let element = Piece::atom("element");
            let (a, b) = match reduce.op {
                ReduceOp::ArgMax => (total, element),
                _ => (element, total),
            };
            let mut wins = self.wgsl.apply(ScalarOp::Lt, of, &[a, b]).text;
            if local(of) == "f32" {
                let is_nan = self.wgsl.is_nan();
                wins = format!("({wins} || {is_nan}(element)) && !{is_nan}(total)");
            }
            let text = format!("if ({wins}) {{ total = element; best_at = i32({here}); }}");
            self.page.line(&self.stored, &text);
            return;
        }
        let sum = self.wgsl.apply(scalar(reduce.op), of, &[total, value]);
        self.page
            .line(&self.stored, &format!("total = {};", sum.text));
    }
}

/// The operation that joins two.
fn scalar(op: ReduceOp) -> ScalarOp {
    match op {
        ReduceOp::Sum => ScalarOp::Add,
        ReduceOp::Prod => ScalarOp::Mul,
        ReduceOp::Max | ReduceOp::ArgMax => ScalarOp::Max,
        ReduceOp::Min | ReduceOp::ArgMin => ScalarOp::Min,
    }
}
