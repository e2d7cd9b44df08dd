//! Element types and PyTorch's promotion between them.
//!
//! Storage is one byte for `bool`, the native size otherwise; arithmetic is done in
//! [`DType::compute`].

use crate::Error;

/// The type of a tensor's elements. The order serves `max`: of an integer type and `I64` the larger
/// is `I64`, of a float type and `I64` the float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// True or false, one byte.
    Bool,
    /// 8-bit unsigned integer.
    U8,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit unsigned integer.
    U64,
    /// 64-bit signed integer.
    I64,
    /// 16-bit float: 5 bits of exponent, 10 of fraction.
    F16,
    /// 16-bit float: 8 bits of exponent, 7 of fraction.
    BF16,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
}

impl DType {
    /// Every dtype.
    pub const ALL: [DType; 13] = [
        DType::Bool,
        DType::U8,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::I64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
    ];

    /// What PyTorch's older messages call a tensor of this dtype.
    pub(crate) fn tensor_type(self) -> String {
        match self {
            DType::BF16 | DType::U16 | DType::U32 | DType::U64 => {
                format!("CPU{}Type", self.scalar_name())
            }
            _ => format!("torch.{}Tensor", self.scalar_name()),
        }
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 | DType::I8 => 1,
            DType::I16 | DType::U16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 => 8,
        }
    }

    /// PyTorch's name: `float32`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "uint8",
            DType::I8 => "int8",
            DType::I16 => "int16",
            DType::I32 => "int32",
            DType::U16 => "uint16",
            DType::U32 => "uint32",
            DType::U64 => "uint64",
            DType::I64 => "int64",
            DType::F16 => "float16",
            DType::BF16 => "bfloat16",
            DType::F32 => "float32",
            DType::F64 => "float64",
        }
    }

    /// PyTorch's other names for it: `float`, `long`.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            DType::I16 => &["short"],
            DType::I32 => &["int"],
            DType::I64 => &["long"],
            DType::F16 => &["half"],
            DType::F32 => &["float"],
            DType::F64 => &["double"],
            _ => &[],
        }
    }

    /// The dtype of that name, PyTorch's aliases included.
    pub fn parse(name: &str) -> Result<DType, Error> {
        let named = |d: &DType| d.name() == name || d.aliases().contains(&name);
        DType::ALL.into_iter().find(named).ok_or_else(|| {
            let names: Vec<&str> = DType::ALL.iter().map(|d| d.name()).collect();
            Error::type_(format!("dtype: {name} is not one of {}", names.join(", ")))
        })
    }

    /// The name PyTorch's messages use for a scalar of this type: `Float`, `Long`.
    pub const fn scalar_name(self) -> &'static str {
        match self {
            DType::Bool => "Bool",
            DType::U8 => "Byte",
            DType::I8 => "Char",
            DType::I16 => "Short",
            DType::I32 => "Int",
            DType::U16 => "UInt16",
            DType::U32 => "UInt32",
            DType::U64 => "UInt64",
            DType::I64 => "Long",
            DType::F16 => "Half",
            DType::BF16 => "BFloat16",
            DType::F32 => "Float",
            DType::F64 => "Double",
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// Whether it is an integer type; `bool` is none.
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, DType::Bool)
    }

    /// Whether it holds negative numbers.
    pub const fn is_signed(self) -> bool {
        !matches!(
            self,
            DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64
        )
    }

    /// The dtype that arithmetic on it is done in: kernels load narrow elements into it and round or
    /// wrap each op's result back, as PyTorch does on a CPU.
    pub const fn compute(self) -> DType {
        match self {
            DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::U16 | DType::U32 => DType::I64,
            DType::F16 | DType::BF16 => DType::F32,
            other => other,
        }
    }

    /// Smallest and largest integer of an integer type.
    pub const fn int_range(self) -> (i128, i128) {
        let bits = 8 * self.size() as u32;
        if self.is_signed() {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        }
    }

    /// Smallest and largest finite number.
    fn range(self) -> (f64, f64) {
        let high = match self {
            DType::F16 => f64::from(half::f16::MAX),
            DType::BF16 => f64::from(half::bf16::MAX),
            DType::F32 => f64::from(f32::MAX),
            DType::F64 => f64::MAX,
            _ => {
                let (low, high) = self.int_range();
                return (low as f64, high as f64);
            }
        };
        (-high, high)
    }

    /// The name that PyTorch's messages of conversions use.
    const fn c_name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "uint8_t",
            DType::I8 => "int8_t",
            DType::I16 => "int16_t",
            DType::I32 => "int",
            DType::U16 => "uint16_t",
            DType::U32 => "uint32_t",
            DType::U64 => "uint64_t",
            DType::I64 => "int64_t",
            DType::F16 => "c10::Half",
            DType::BF16 => "c10::BFloat16",
            DType::F32 => "float",
            DType::F64 => "double",
        }
    }

    /// 0 for bool, 1 for integers, 2 for floats: the categories of promotion.
    const fn category(self) -> u8 {
        match self {
            DType::Bool => 0,
            _ if self.is_float() => 2,
            _ => 1,
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

/// The smallest dtype that both fit in, by PyTorch's table.
fn meet(a: DType, b: DType) -> Result<DType, Error> {
    let (low, high) = (a.min(b), a.max(b));
    let wide_unsigned = |d: DType| !d.is_signed() && d.size() > 1;
    // PyTorch's table has no line for a bool beside a wide unsigned integer either.
    let bool_beside = low == DType::Bool && wide_unsigned(high);
    if low == high || low.category() != high.category() && !bool_beside {
        return Ok(if low.category() > high.category() {
            low
        } else {
            high
        });
    }
    if high.is_float() {
        let halves = low == DType::F16 && high == DType::BF16;
        return Ok(if halves { DType::F32 } else { high });
    }
    if wide_unsigned(low) || wide_unsigned(high) {
        return Err(Error::runtime(format!(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {} and {}; convert one of them with .to()",
            a.scalar_name(),
            b.scalar_name()
        )));
    }
    // An unsigned byte beside a signed one.
    Ok(if high == DType::I8 { DType::I16 } else { high })
}

/// The dtype in which operands meet: tensors with dimensions decide, then 0-d tensors, then Python
/// numbers; a weaker operand counts only when its category is higher. A Python float beside
/// integers gives float32, the default dtype.
///
/// # Errors
/// For wide unsigned integers beside other integers, which PyTorch does not promote.
pub fn promote(operands: impl Iterator<Item = (DType, Rank)>) -> Result<DType, Error> {
    let mut best: [Option<DType>; 3] = [None; 3];
    for (dtype, rank) in operands {
        let slot = &mut best[rank as usize];
        *slot = Some(match *slot {
            Some(seen) => meet(seen, dtype)?,
            None => dtype,
        });
    }
    let [scalar, zero_dim, tensor] = best;
    // A Python float is a float64 constant that asks for the default dtype only.
    let scalar = scalar.map(|d| if d.is_float() { DType::F32 } else { d });
    let strongest = [zero_dim, scalar]
        .into_iter()
        .flatten()
        .fold(tensor, |strong, weak| match strong {
            Some(strong) if strong.category() >= weak.category() => Some(strong),
            _ => Some(weak),
        });
    Ok(strongest.unwrap_or(DType::F32))
}

/// A number on its way into or out of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A `bool`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer beyond `i64`, of a uint64.
    UInt(u64),
    /// A float.
    Float(f64),
}

impl Scalar {
    /// Little-endian elements as numbers.
    pub fn of_bytes(bytes: &[u8], dtype: DType) -> Vec<Scalar> {
        fn each<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> Scalar) -> Vec<Scalar> {
            bytes.as_chunks::<N>().0.iter().map(|b| read(*b)).collect()
        }
        let int = |i: i64| Scalar::Int(i);
        let uint = |i: u64| i64::try_from(i).map_or(Scalar::UInt(i), Scalar::Int);
        let float = |x: f32| Scalar::Float(f64::from(x));
        match dtype {
            DType::Bool => each(bytes, |[b]| Scalar::Bool(b != 0)),
            DType::U8 => each(bytes, |[b]| int(b.into())),
            DType::I8 => each(bytes, |b| int(i8::from_le_bytes(b).into())),
            DType::I16 => each(bytes, |b| int(i16::from_le_bytes(b).into())),
            DType::I32 => each(bytes, |b| int(i32::from_le_bytes(b).into())),
            DType::U16 => each(bytes, |b| int(u16::from_le_bytes(b).into())),
            DType::U32 => each(bytes, |b| int(u32::from_le_bytes(b).into())),
            DType::U64 => each(bytes, |b| uint(u64::from_le_bytes(b))),
            DType::I64 => each(bytes, |b| int(i64::from_le_bytes(b))),
            DType::F16 => each(bytes, |b| float(half::f16::from_le_bytes(b).to_f32())),
            DType::BF16 => each(bytes, |b| float(half::bf16::from_le_bytes(b).to_f32())),
            DType::F32 => each(bytes, |b| float(f32::from_le_bytes(b))),
            DType::F64 => each(bytes, |b| Scalar::Float(f64::from_le_bytes(b))),
        }
    }

    /// The dtype of a Python number of this kind.
    pub fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::UInt(_) => DType::U64,
            Scalar::Float(_) => DType::F32,
        }
    }

    /// Refuses a number that a dtype does not hold, where PyTorch converts it with care: fills and options,
    /// and not arithmetic, which wraps. Fractions are cut; a negative whole number wraps to an unsigned
    /// type that has its size.
    ///
    /// # Errors
    /// What PyTorch raises, with the number and the range.
    pub fn check_fits(self, op: &str, dtype: DType) -> Result<(), Error> {
        if !cfg!(feature = "full") {
            return Ok(());
        }
        let (low, high) = dtype.range();
        let wraps = !dtype.is_float() && !dtype.is_signed();
        let fits = match self {
            _ if dtype == DType::Bool => true,
            Scalar::Bool(_) => true,
            Scalar::Float(x) if dtype.is_float() => !x.is_finite() || x.abs() <= high,
            Scalar::Int(i) if dtype.is_float() => (i as f64).abs() <= high,
            Scalar::UInt(i) if dtype.is_float() => i as f64 <= high,
            Scalar::Int(i) => {
                let (low, high) = dtype.int_range();
                (if wraps { -high } else { low }..=high).contains(&i128::from(i))
            }
            Scalar::UInt(i) => i128::from(i) <= dtype.int_range().1,
            // Of 64 bits the largest is no float64: the next one is beyond it.
            Scalar::Float(x) => {
                let end = (dtype.int_range().1 + 1) as f64;
                x >= low && x < end
            }
        };
        if fits {
            return Ok(());
        }
        let shown = match self {
            Scalar::Int(i) => i.to_string(),
            Scalar::UInt(i) => i.to_string(),
            other => other.as_f64().to_string().to_ascii_lowercase(),
        };
        Err(Error::runtime(format!(
            "{op}: value cannot be converted to type {} without overflow: {shown} is outside {low} … {high} of {dtype}",
            dtype.c_name()
        )))
    }

    /// As [`Scalar::check_fits`], where PyTorch lets a number that is too large become an infinity of a
    /// half-width float.
    ///
    /// # Errors
    /// As [`Scalar::check_fits`].
    pub fn check_fits_or_half(self, op: &str, dtype: DType) -> Result<(), Error> {
        match dtype {
            DType::F16 | DType::BF16 => Ok(()),
            _ => self.check_fits(op, dtype),
        }
    }

    /// Whether both are the same to the bit: NaN is itself, and zeros differ by their sign.
    pub fn is_same(self, other: Scalar) -> bool {
        match (self, other) {
            (Scalar::Float(x), Scalar::Float(y)) => x.to_bits() == y.to_bits(),
            (a, b) => a == b,
        }
    }

    /// As a float.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(i) => i as f64,
            Scalar::UInt(i) => i as f64,
            Scalar::Float(f) => f,
        }
    }

    /// As an integer; floats are cut toward zero and saturate, NaN is 0. A uint64 keeps its bits.
    pub fn as_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => i64::from(b),
            Scalar::Int(i) => i,
            Scalar::UInt(i) => i as i64,
            Scalar::Float(f) => f as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_a_dtype_as_in_pytorch() {
        use DType::*;
        use Scalar::{Float, Int, UInt};
        let fits = |number: Scalar, dtype| number.check_fits("full", dtype).is_ok();
        let held = [
            (Int(-255), U8),
            (Float(255.9), U8),
            (Float(127.9), I8),
            (Int(-1), U64),
            (UInt(u64::MAX), U64),
            (Int(2), Bool),
            (Float(f64::INFINITY), F16),
        ];
        let refused = [
            (Int(-256), U8),
            (Float(-1.0), U8),
            (Float(-128.9), I8),
            (Int(300), I8),
            (Float(f64::NAN), I64),
            (Float(9.3e18), I64),
            (UInt(1 << 63), I64),
            (Float(1e39), F32),
            (Float(65519.0), F16),
        ];
        assert!(held.into_iter().all(|(number, dtype)| fits(number, dtype)));
        assert!(
            !refused
                .into_iter()
                .any(|(number, dtype)| fits(number, dtype))
        );
        assert!(Float(1e9).check_fits_or_half("where", F16).is_ok());
    }

    #[test]
    fn weaker_operands_count_only_by_category() {
        use DType::*;
        let meet = |ops: &[(DType, Rank)]| promote(ops.iter().copied()).expect("promotes");
        assert_eq!(meet(&[(I64, Rank::Tensor), (F32, Rank::Scalar)]), F32);
        assert_eq!(meet(&[(F32, Rank::Tensor), (F64, Rank::ZeroDim)]), F32);
        assert_eq!(meet(&[(I64, Rank::Tensor), (F64, Rank::ZeroDim)]), F64);
        assert_eq!(meet(&[(F64, Rank::Scalar), (F64, Rank::Scalar)]), F32);
        assert_eq!(meet(&[(Bool, Rank::Tensor), (I64, Rank::Scalar)]), I64);
        assert_eq!(meet(&[(F32, Rank::Tensor), (F64, Rank::Tensor)]), F64);
        assert_eq!(meet(&[(U8, Rank::Tensor), (I8, Rank::Tensor)]), I16);
        assert_eq!(meet(&[(F16, Rank::Tensor), (BF16, Rank::Tensor)]), F32);
        assert_eq!(meet(&[(F16, Rank::Tensor), (I64, Rank::Tensor)]), F16);
        assert_eq!(meet(&[(U8, Rank::Tensor), (I64, Rank::Scalar)]), U8);
        let mixed = [(U16, Rank::Tensor), (I32, Rank::Tensor)];
        assert!(promote(mixed.into_iter()).is_err());
    }
}
