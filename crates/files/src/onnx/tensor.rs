//! `TensorProto` to [`Array`] and back.
//!
//! Invariant: as many elements are made as the message holds; the sizes it claims are only compared with them.

use std::borrow::Cow;

use glowgrad_tensor::DType;

use super::{DataType, TensorProto};
use crate::{Array, Error, Result};

/// What `data_location` says of elements that are in another file.
const EXTERNAL: i32 = 1;

impl DataType {
    /// The data type of a number as a file gives it; `None` for one that the format does not have.
    pub fn of(number: Option<i32>) -> Option<DataType> {
        DataType::try_from(number.unwrap_or(0)).ok()
    }

    /// The engine's type for it; `None` for text, complex numbers and floats or integers below 8 bits.
    pub fn dtype(self) -> Option<DType> {
        Some(match self {
            DataType::Float => DType::F32,
            DataType::Double => DType::F64,
            DataType::Float16 => DType::F16,
            DataType::Bfloat16 => DType::BF16,
            DataType::Bool => DType::Bool,
            DataType::Uint8 => DType::U8,
            DataType::Uint16 => DType::U16,
            DataType::Uint32 => DType::U32,
            DataType::Uint64 => DType::U64,
            DataType::Int8 => DType::I8,
            DataType::Int16 => DType::I16,
            DataType::Int32 => DType::I32,
            DataType::Int64 => DType::I64,
            _ => return None,
        })
    }

    /// ONNX's name for it: `float16`.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

impl From<DType> for DataType {
    fn from(dtype: DType) -> DataType {
        match dtype {
            DType::F32 => DataType::Float,
            DType::F64 => DataType::Double,
            DType::F16 => DataType::Float16,
            DType::BF16 => DataType::Bfloat16,
            DType::Bool => DataType::Bool,
            DType::U8 => DataType::Uint8,
            DType::U16 => DataType::Uint16,
            DType::U32 => DataType::Uint32,
            DType::U64 => DataType::Uint64,
            DType::I8 => DataType::Int8,
            DType::I16 => DataType::Int16,
            DType::I32 => DataType::Int32,
            DType::I64 => DataType::Int64,
        }
    }
}

impl TensorProto {
    /// Its numbers as an array.
    ///
    /// # Errors
    /// For a type that the engine lacks, elements that are in another file, and sizes that do not fit the elements.
    pub fn to_array(&self) -> Result<Array<'_>> {
        let name = self.name();
        let kind = DataType::of(self.data_type);
        let Some(dtype) = kind.and_then(DataType::dtype) else {
            return Err(Error::new(format!(
                "the tensor {name:?} has elements of type {}, which the engine lacks; export the model with floats of 16 to 64 bits, integers of 8 to 64 bits or bool",
                kind.map_or_else(
                    || format!("number {}", self.data_type.unwrap_or(0)),
                    DataType::name
                )
            )));
        };
        if self.data_location == Some(EXTERNAL) || !self.external_data.is_empty() {
            let file = (self.external_data.iter())
                .find(|entry| entry.key() == "location")
                .map_or("another file", |entry| entry.value());
            return Err(Error::new(format!(
                "the tensor {name:?} has its elements in {file:?}, not in the model; save the model with its weights inside (save_as_external_data=False)"
            )));
        }
        if self.segment.is_some() {
            return Err(Error::new(format!(
                "the tensor {name:?} is a segment of a larger one, which is not supported; save the model with whole tensors"
            )));
        }
        let mut shape = Vec::new();
        for &size in &self.dims {
            shape.push(usize::try_from(size).map_err(|_| {
                Error::new(format!(
                    "the tensor {name:?} has sizes {:?}, and none may be negative",
                    self.dims
                ))
            })?);
        }
        let bytes = match &self.raw_data {
            Some(raw) => Cow::Borrowed(raw.as_slice()),
            None => Cow::Owned(self.typed(dtype)),
        };
        let n = bytes.len() / dtype.size();
        Array::new(dtype, shape, bytes).map_err(|_| {
            Error::new(format!(
                "the tensor {name:?} has sizes {:?}, and {n} elements of type {} are in the file",
                self.dims,
                dtype.name()
            ))
        })
    }

    /// The elements of the field for a type, little-endian.
    fn typed(&self, dtype: DType) -> Vec<u8> {
        fn low<const N: usize>(list: &[i32]) -> Vec<u8> {
            let cut = |i: &i32| i.to_le_bytes().into_iter().take(N);
            list.iter().flat_map(cut).collect()
        }
        let ints = &self.int32_data;
        match dtype {
            DType::F32 => self
                .float_data
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect(),
            DType::F64 => self
                .double_data
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect(),
            DType::I64 => self
                .int64_data
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect(),
            DType::U64 => self
                .uint64_data
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect(),
            DType::U32 => (self.uint64_data.iter())
                .flat_map(|&x| (x as u32).to_le_bytes())
                .collect(),
            DType::Bool => ints.iter().map(|&i| u8::from(i != 0)).collect(),
            DType::U8 | DType::I8 => low::<1>(ints),
            DType::U16 | DType::I16 | DType::F16 | DType::BF16 => low::<2>(ints),
            DType::I32 => low::<4>(ints),
        }
    }

    /// An array under a name.
    pub fn of_array(name: impl Into<String>, array: &Array<'_>) -> TensorProto {
        TensorProto {
            dims: array.shape().iter().map(|&n| n as i64).collect(),
            data_type: Some(DataType::from(array.dtype()) as i32),
            name: Some(name.into()),
            raw_data: Some(array.bytes().to_vec()),
            ..TensorProto::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proto(dtype: DataType, dims: &[i64]) -> TensorProto {
        TensorProto {
            name: Some("w".to_owned()),
            data_type: Some(dtype as i32),
            dims: dims.to_vec(),
            ..TensorProto::default()
        }
    }

    #[test]
    fn typed_fields_and_raw_bytes_give_the_same_array() {
        let typed = TensorProto {
            float_data: vec![1.0, -2.5],
            ..proto(DataType::Float, &[2])
        };
        let array = typed.to_array().expect("reads");
        let raw = TensorProto::of_array("w", &array);
        assert_eq!(raw.to_array().expect("reads"), array);
        let halves = TensorProto {
            int32_data: vec![0x3c00, 0xbc00],
            ..proto(DataType::Float16, &[2])
        };
        let array = halves.to_array().expect("reads");
        assert_eq!(array.bytes(), [0x00, 0x3c, 0x00, 0xbc]);
        let flags = TensorProto {
            raw_data: Some(vec![0, 1, 7]),
            ..proto(DataType::Bool, &[3])
        };
        assert_eq!(flags.to_array().expect("reads").bytes(), [0, 1, 1]);
    }

    #[test]
    fn every_dtype_has_its_data_type() {
        for dtype in DType::ALL {
            assert_eq!(DataType::from(dtype).dtype(), Some(dtype));
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let told = |tensor: TensorProto| tensor.to_array().expect_err("is refused").to_string();
        let claims = told(proto(DataType::Float, &[i64::MAX, 8]));
        assert!(claims.contains("0 elements of type float32"), "{claims}");
        let negative = told(proto(DataType::Float, &[-1]));
        assert!(negative.contains("none may be negative"), "{negative}");
        let text = told(proto(DataType::String, &[0]));
        assert!(text.contains("type string"), "{text}");
        let elsewhere = told(TensorProto {
            data_location: Some(EXTERNAL),
            external_data: vec![super::super::StringStringEntryProto {
                key: Some("location".to_owned()),
                value: Some("weights.bin".to_owned()),
            }],
            ..proto(DataType::Float, &[2])
        });
        assert!(elsewhere.contains("weights.bin"), "{elsewhere}");
    }
}
