//! Element types and PyTorch's promotion between them.
//!
//! The order of [`DType`]'s variants is the order of promotion within a category. Storage is one
//! byte for `bool`, the native size otherwise.

use crate::Error;

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// True or false, one byte.
    Bool,
    /// 64-bit signed integer.
    I64,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
}

impl DType {
    /// Every dtype, in promotion order.
    pub const ALL: [DType; 4] = [DType::Bool, DType::I64, DType::F32, DType::F64];

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool => 1,
            DType::F32 => 4,
            DType::I64 | DType::F64 => 8,
        }
    }

    /// PyTorch's name: `float32`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I64 => "int64",
            DType::F32 => "float32",
            DType::F64 => "float64",
        }
    }

    /// The dtype of that name, PyTorch's aliases included.
    pub fn parse(name: &str) -> Result<DType, Error> {
        match name {
            "bool" => Ok(DType::Bool),
            "int64" | "long" => Ok(DType::I64),
            "float32" | "float" => Ok(DType::F32),
            "float64" | "double" => Ok(DType::F64),
            _ => Err(Error::type_(format!(
                "dtype: {name} is not one of bool, int64, float32, float64"
            ))),
        }
    }

    /// The name PyTorch's messages use for a scalar of this type: `Float`, `Long`.
    pub const fn scalar_name(self) -> &'static str {
        match self {
            DType::Bool => "Bool",
            DType::I64 => "Long",
            DType::F32 => "Float",
            DType::F64 => "Double",
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
    }

    /// 0 for bool, 1 for integers, 2 for floats: the categories of promotion.
    const fn category(self) -> u8 {
        match self {
            DType::Bool => 0,
            DType::I64 => 1,
            DType::F32 | DType::F64 => 2,
        }
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How strongly an operand speaks in promotion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rank {
    /// A Python number.
    Scalar,
    /// A tensor without dimensions.
    ZeroDim,
    /// A tensor with dimensions.
    Tensor,
}

/// The dtype in which operands meet: tensors with dimensions decide, then 0-d tensors, then Python
/// numbers; a weaker operand counts only when its category is higher. A Python float beside
/// integers gives float32, the default dtype.
pub fn promote(operands: impl Iterator<Item = (DType, Rank)>) -> DType {
    let mut best: [Option<DType>; 3] = [None; 3];
    for (dtype, rank) in operands {
        let slot = &mut best[rank as usize];
        *slot = Some(slot.map_or(dtype, |seen| seen.max(dtype)));
    }
    let [scalar, zero_dim, tensor] = best;
    // A Python float is a float64 constant that asks for the default dtype only.
    let scalar = scalar.map(|d| if d.is_float() { DType::F32 } else { d });
    [zero_dim, scalar]
        .into_iter()
        .flatten()
        .fold(tensor, |strong, weak| match strong {
            Some(strong) if strong.category() >= weak.category() => Some(strong),
            _ => Some(weak),
        })
        .unwrap_or(DType::F32)
}

/// A number on its way into or out of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A `bool`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
}

impl Scalar {
    /// The dtype of a Python number of this kind.
    pub fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::Float(_) => DType::F32,
        }
    }

    /// As a float.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(i) => i as f64,
            Scalar::Float(f) => f,
        }
    }

    /// As an integer; floats are cut toward zero and saturate, NaN is 0.
    pub fn as_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => i64::from(b),
            Scalar::Int(i) => i,
            Scalar::Float(f) => f as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weaker_operands_count_only_by_category() {
        use DType::*;
        let meet = |ops: &[(DType, Rank)]| promote(ops.iter().copied());
        assert_eq!(meet(&[(I64, Rank::Tensor), (F32, Rank::Scalar)]), F32);
        assert_eq!(meet(&[(F32, Rank::Tensor), (F64, Rank::ZeroDim)]), F32);
        assert_eq!(meet(&[(I64, Rank::Tensor), (F64, Rank::ZeroDim)]), F64);
        assert_eq!(meet(&[(F64, Rank::Scalar), (F64, Rank::Scalar)]), F32);
        assert_eq!(meet(&[(Bool, Rank::Tensor), (I64, Rank::Scalar)]), I64);
        assert_eq!(meet(&[(F32, Rank::Tensor), (F64, Rank::Tensor)]), F64);
    }
}
