//! Arrays as JSON: nested lists of numbers, read straight into the bytes of an array.
//!
//! No tree of values is made on the way, which would take 32 bytes for each number. JSON has no NaN and no infinities:
//! they are the texts `"NaN"`, `"Infinity"` and `"-Infinity"`, in both directions; `null` is read as NaN.

use std::fmt;

use axum::http::StatusCode;
use glowgrad::DType;
use glowgrad_files::Array;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{dtype, named, shortened, unfit};
use crate::Problem;
use crate::model::{Arrays, Served, Value};

/// The deepest list of lists.
const MOST_DIMENSIONS: usize = 32;

/// Reads `{"inputs": {"x": [[…]]}}`, or `{"inputs": [[…]]}` where the model has one input.
pub(super) fn read(body: &[u8], model: &dyn Served) -> Result<Arrays, Problem> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let read = Body(model).deserialize(&mut deserializer);
    let read = read.and_then(|arrays| deserializer.end().map(|()| arrays));
    read.map_err(|error| {
        let inputs = named(model);
        match error.classify() {
            serde_json::error::Category::Data => unfit(
                error.to_string(),
                format!("send {{\"inputs\": {{name: nested lists}}}} with the inputs {inputs}"),
            ),
            _ => Problem::new(
                StatusCode::BAD_REQUEST,
                format!("the body is no JSON: {error}"),
                format!("send {{\"inputs\": {{name: nested lists}}}} with the inputs {inputs}"),
            ),
        }
    })
}

/// The body: an object with `inputs`.
struct Body<'a>(&'a dyn Served);

impl<'de> DeserializeSeed<'de> for Body<'_> {
    type Value = Arrays;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Arrays, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body<'_> {
    type Value = Arrays;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the key \"inputs\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arrays, A::Error> {
        let mut inputs = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "inputs" {
                return Err(A::Error::custom(format_args!(
                    "unknown key {:?}, expected \"inputs\"",
                    shortened(&key)
                )));
            }
            if inputs.is_some() {
                return Err(A::Error::custom("\"inputs\" comes twice"));
            }
            inputs = Some(map.next_value_seed(Inputs(self.0))?);
        }
        inputs.ok_or_else(|| A::Error::custom("the key \"inputs\" is missing"))
    }
}

/// Arrays by name, or one array.
struct Inputs<'a>(&'a dyn Served);

impl<'a> Inputs<'a> {
    fn only<E: Error>(&self) -> Result<&'a Value, E> {
        match self.0.inputs() {
            [input] => Ok(input),
            all => Err(E::custom(format_args!(
                "one array for a model of {} inputs, expected an object with an array for each",
                all.len()
            ))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Inputs<'_> {
    type Value = Arrays;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Arrays, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Inputs<'_> {
    type Value = Arrays;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nested lists of numbers, or an object of them by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arrays, A::Error> {
        let mut arrays: Arrays = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let Some(input) = self.0.inputs().iter().find(|input| input.name == name) else {
                return Err(A::Error::custom(format_args!(
                    "the model has no input {:?}",
                    shortened(&name)
                )));
            };
            if arrays.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom(format_args!(
                    "the input {name:?} comes twice"
                )));
            }
            let mut builder = Builder::new(dtype(input));
            map.next_value_seed(Nested(&mut builder, 0))?;
            arrays.push((name, builder.array()?));
        }
        Ok(arrays)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Arrays, A::Error> {
        let input = self.only()?;
        let mut builder = Builder::new(dtype(input));
        Nested(&mut builder, 0).visit_seq(seq)?;
        Ok(vec![(input.name.clone(), builder.array()?)])
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Arrays, E> {
        let input = self.only()?;
        let mut builder = Builder::new(dtype(input));
        Nested(&mut builder, 0).visit_f64(x)?;
        Ok(vec![(input.name.clone(), builder.array()?)])
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<Arrays, E> {
        self.visit_f64(x as f64)
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<Arrays, E> {
        self.visit_f64(x as f64)
    }
}

/// An array while its text is read.
struct Builder {
    dtype: DType,
    bytes: Vec<u8>,
    /// The length of the lists at each depth, once one has ended.
    shape: Vec<Option<usize>>,
    /// The depth of numbers, once one has come.
    rank: Option<usize>,
}

impl Builder {
    fn new(dtype: DType) -> Builder {
        Builder {
            dtype,
            bytes: Vec::new(),
            shape: Vec::new(),
            rank: None,
        }
    }

    fn array<E: Error>(self) -> Result<Array<'static>, E> {
        let shape = self.shape.iter().map(|size| size.unwrap_or(0)).collect();
        Array::new(self.dtype, shape, self.bytes).map_err(E::custom)
    }

    /// Notes a number at a depth.
    fn number<E: Error>(&mut self, depth: usize) -> Result<(), E> {
        match *self.rank.get_or_insert(depth) {
            rank if rank == depth => Ok(()),
            rank => Err(E::custom(format_args!(
                "a number at depth {depth} beside numbers at depth {rank}, expected lists of one depth"
            ))),
        }
    }

    fn float<E: Error>(&mut self, x: f64, depth: usize) -> Result<(), E> {
        self.number(depth)?;
        match self.dtype {
            DType::F16 => self.bytes.extend(half::f16::from_f64(x).to_le_bytes()),
            DType::BF16 => self.bytes.extend(half::bf16::from_f64(x).to_le_bytes()),
            DType::F32 => self.bytes.extend((x as f32).to_le_bytes()),
            DType::F64 => self.bytes.extend(x.to_le_bytes()),
            dtype if x.fract() == 0.0 && x.abs() <= 9_007_199_254_740_992.0 => {
                return self.whole(x as i128, dtype);
            }
            dtype => return Err(E::custom(format_args!("{x} is no {dtype}"))),
        }
        Ok(())
    }

    fn int<E: Error>(&mut self, x: i128, depth: usize) -> Result<(), E> {
        match self.dtype.is_float() {
            true => self.float(x as f64, depth),
            false => {
                self.number(depth)?;
                self.whole(x, self.dtype)
            }
        }
    }

    fn whole<E: Error>(&mut self, x: i128, dtype: DType) -> Result<(), E> {
        let bits = dtype.size() as u32 * 8;
        let range = match dtype {
            DType::Bool => 0..=1,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => 0..=(1i128 << bits) - 1,
            _ => -(1i128 << (bits - 1))..=(1i128 << (bits - 1)) - 1,
        };
        if !range.contains(&x) {
            return Err(E::custom(format_args!("{x} is no {dtype}")));
        }
        self.bytes.extend(&x.to_le_bytes()[..dtype.size()]);
        Ok(())
    }
}

/// A list or number at a depth.
struct Nested<'a>(&'a mut Builder, usize);

impl<'de> DeserializeSeed<'de> for Nested<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nested lists of {}", self.0.dtype)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Nested(builder, depth) = self;
        if builder.rank.is_some_and(|rank| rank <= depth) {
            return Err(A::Error::custom(format_args!(
                "a list at depth {depth} beside numbers, expected lists of one depth"
            )));
        }
        if depth >= MOST_DIMENSIONS {
            return Err(A::Error::custom(format_args!(
                "more than {MOST_DIMENSIONS} lists in each other"
            )));
        }
        if builder.shape.len() <= depth {
            builder.shape.push(None);
        }
        let mut n = 0;
        while seq.next_element_seed(Nested(builder, depth + 1))?.is_some() {
            n += 1;
        }
        if n == 0 {
            // A list without elements ends the shape.
            builder.number(depth + 1)?;
        }
        match *builder.shape[depth].get_or_insert(n) {
            other if other == n => Ok(()),
            other => Err(A::Error::custom(format_args!(
                "a list of {n} beside a list of {other}, expected equal lengths"
            ))),
        }
    }

    fn visit_bool<E: Error>(self, x: bool) -> Result<(), E> {
        match self.0.dtype {
            DType::Bool => self.0.int(x.into(), self.1),
            dtype => Err(E::custom(format_args!("{x} is no {dtype}"))),
        }
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<(), E> {
        self.0.int(x.into(), self.1)
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<(), E> {
        self.0.int(x.into(), self.1)
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<(), E> {
        self.0.float(x, self.1)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let x = match text {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => {
                return Err(E::custom(format_args!(
                    "the text {:?} is no number; expected \"NaN\", \"Infinity\" or \"-Infinity\"",
                    shortened(text)
                )));
            }
        };
        self.0.float(x, self.1)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.float(f64::NAN, self.1)
    }
}

/// Writes `{"outputs": {"y": [[…]]}}`.
pub(super) fn write(outputs: &Arrays) -> Vec<u8> {
    struct Outputs<'a>(&'a Arrays);
    impl Serialize for Outputs<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(self.0.len()))?;
            for (name, array) in self.0 {
                map.serialize_entry(name, &Lists::of(array))?;
            }
            map.end()
        }
    }
    let n_bytes: usize = outputs.iter().map(|(_, array)| array.bytes().len()).sum();
    let mut text = Vec::with_capacity(64 + n_bytes * 4);
    text.extend_from_slice(b"{\"outputs\":");
    // Names are texts and numbers are finite or texts, so that nothing is refused.
    let _ = serde_json::to_writer(&mut text, &Outputs(outputs));
    text.push(b'}');
    text
}

/// An array, or a part of one, as nested lists.
struct Lists<'a> {
    dtype: DType,
    shape: &'a [usize],
    bytes: &'a [u8],
}

impl<'a> Lists<'a> {
    fn of(array: &'a Array<'_>) -> Lists<'a> {
        Lists {
            dtype: array.dtype(),
            shape: array.shape(),
            bytes: array.bytes(),
        }
    }
}

impl Serialize for Lists<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((&n, rest)) = self.shape.split_first() else {
            return number(self.dtype, self.bytes, serializer);
        };
        let mut list = serializer.serialize_seq(Some(n))?;
        let each = self.bytes.len().checked_div(n).unwrap_or(0);
        for i in 0..n {
            list.serialize_element(&Lists {
                dtype: self.dtype,
                shape: rest,
                bytes: &self.bytes[i * each..(i + 1) * each],
            })?;
        }
        list.end()
    }
}

fn number<S: Serializer>(dtype: DType, bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    /// The bytes of one number.
    fn whole<const N: usize>(bytes: &[u8]) -> [u8; N] {
        let mut all = [0; N];
        let n = bytes.len().min(N);
        all[..n].copy_from_slice(&bytes[..n]);
        all
    }
    let float = |x: f32, serializer: S| match x {
        x if x.is_finite() => serializer.serialize_f32(x),
        x => serializer.serialize_str(text(x.into())),
    };
    match dtype {
        DType::Bool => serializer.serialize_bool(bytes.first().is_some_and(|&byte| byte != 0)),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            serializer.serialize_u64(u64::from_le_bytes(whole(bytes)))
        }
        DType::I8 => serializer.serialize_i8(i8::from_le_bytes(whole(bytes))),
        DType::I16 => serializer.serialize_i16(i16::from_le_bytes(whole(bytes))),
        DType::I32 => serializer.serialize_i32(i32::from_le_bytes(whole(bytes))),
        DType::I64 => serializer.serialize_i64(i64::from_le_bytes(whole(bytes))),
        DType::F16 => float(half::f16::from_le_bytes(whole(bytes)).to_f32(), serializer),
        DType::BF16 => float(half::bf16::from_le_bytes(whole(bytes)).to_f32(), serializer),
        DType::F32 => float(f32::from_le_bytes(whole(bytes)), serializer),
        DType::F64 => match f64::from_le_bytes(whole(bytes)) {
            x if x.is_finite() => serializer.serialize_f64(x),
            x => serializer.serialize_str(text(x)),
        },
    }
}

fn text(x: f64) -> &'static str {
    match x {
        x if x.is_nan() => "NaN",
        x if x > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}
