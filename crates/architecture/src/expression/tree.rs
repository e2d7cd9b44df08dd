//! The tree of an expression.

/// An expression of Python, as far as rules and arguments have it.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text in quotes.
    Text(String),
    /// A name.
    Name(String),
    /// `[a, *b]`
    List(Vec<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `*a`, in a list or among arguments.
    Starred(Box<Expr>),
    /// `body if test else otherwise`
    If {
        /// What decides.
        test: Box<Expr>,
        /// The value where it is true.
        body: Box<Expr>,
        /// The value where it is not.
        otherwise: Box<Expr>,
    },
    /// `a and b`
    And(Box<Expr>, Box<Expr>),
    /// `a or b`
    Or(Box<Expr>, Box<Expr>),
    /// `not a`
    Not(Box<Expr>),
    /// `-a`
    Minus(Box<Expr>),
    /// `+a`
    Plus(Box<Expr>),
    /// `a + b` and the other operators of arithmetic.
    Binary(Box<Expr>, Operator, Box<Expr>),
    /// `a < b <= c`: each comparison holds.
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// `a[i]`
    Item(Box<Expr>, Box<Expr>),
    /// `a[i:j]`
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `f(a, b)`
    Call(String, Vec<Expr>),
}

/// An operator of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Mod,
    /// `**`
    Pow,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Eq,
    /// `!=`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtE,
    /// `>`
    Gt,
    /// `>=`
    GtE,
    /// `is`
    Is,
    /// `is not`
    IsNot,
    /// `in`
    In,
    /// `not in`
    NotIn,
}
