//! NumPy's `.npy`: one array, after a header that is a Python dict in text.
//!
//! Versions 1, 2 and 3 are read, in C and Fortran order and in both byte orders; what is written is version 1, to the
//! byte as `numpy.save` writes it. Invariant: the bytes after the header are as many as shape and dtype take. An array
//! in C order and little-endian is read without a copy, others with one copy. The header is scanned for the one dict
//! that NumPy writes; nothing is evaluated. Arrays of Python objects, which are pickles, are refused.
//!
//! ```
//! use glowgrad_files::{Array, npy};
//! use glowgrad_tensor::DType;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let array = Array::new(DType::I16, vec![3], vec![1, 0, 2, 0, 3, 0])?;
//! let file = npy::write(&array)?;
//! assert_eq!(npy::read(&file)?, array);
//! assert_eq!(
//!     npy::read(&file[..file.len() - 1]).unwrap_err().to_string(),
//!     "npy: shape [3] of <i2 takes 6 bytes, and 5 follow the header; the file is cut short or damaged, so fetch it again"
//! );
//! # Ok(())
//! # }
//! ```

use std::borrow::Cow;

use glowgrad_tensor::DType;

use crate::error::quoted;
use crate::{Array, Error, Result, strided};

/// The first six bytes of a file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// As in NumPy.
const MOST_DIMENSIONS: usize = 64;

/// Digits that NumPy leaves room for, so that the first size can grow in place.
const ROOM_TO_GROW: usize = 21;

/// NumPy's names of the dtypes, without the byte order. It has no bfloat16.
const CODES: [(&str, DType); 12] = [
    ("b1", DType::Bool),
    ("u1", DType::U8),
    ("i1", DType::I8),
    ("i2", DType::I16),
    ("i4", DType::I32),
    ("i8", DType::I64),
    ("u2", DType::U16),
    ("u4", DType::U32),
    ("u8", DType::U64),
    ("f2", DType::F16),
    ("f4", DType::F32),
    ("f8", DType::F64),
];

/// The array in the bytes of a file.
///
/// # Errors
/// When the header is damaged or claims other bytes than there are, and for elements that are no numbers.
pub fn read(bytes: &[u8]) -> Result<Array<'_>> {
    let header = Header::parse(bytes)?;
    header.array(Cow::Borrowed(&bytes[header.end..]))
}

/// The same from bytes that are unpacked already, without another copy.
pub(crate) fn read_owned(mut bytes: Vec<u8>) -> Result<Array<'static>> {
    let header = Header::parse(&bytes)?;
    bytes.drain(..header.end);
    header.array(Cow::Owned(bytes))
}

/// The bytes of a file with this array, as `numpy.save` writes them.
///
/// # Errors
/// For bfloat16, which NumPy lacks.
pub fn write(array: &Array<'_>) -> Result<Vec<u8>> {
    let Some((code, _)) = CODES.iter().find(|&&(_, dtype)| dtype == array.dtype()) else {
        return Err(refuse(format!(
            "NumPy has no {}; convert the tensor to float32",
            array.dtype().name()
        )));
    };
    let order = if array.dtype().size() == 1 { '|' } else { '<' };
    let sizes: Vec<String> = array.shape().iter().map(usize::to_string).collect();
    let shape = match sizes.as_slice() {
        [one] => format!("({one},)"),
        _ => format!("({})", sizes.join(", ")),
    };
    let mut header =
        format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': {shape}, }}");
    if let Some(first) = sizes.first() {
        header += &" ".repeat(ROOM_TO_GROW - first.len());
    }
    // The array begins at a multiple of 64. A header that is too long for version 1 gets four bytes of length.
    let wide = 10 + header.len() + 64 > usize::from(u16::MAX);
    let start = MAGIC.len() + 2 + if wide { 4 } else { 2 };
    let end = (start + header.len() + 1).next_multiple_of(64);
    header += &" ".repeat(end - start - header.len() - 1);
    header.push('\n');

    let mut file = Vec::with_capacity(end + array.bytes().len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(if wide { &[2, 0] } else { &[1, 0] });
    let length = (header.len() as u32).to_le_bytes();
    file.extend_from_slice(&length[..if wide { 4 } else { 2 }]);
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(array.bytes());
    Ok(file)
}

fn refuse(what: String) -> Error {
    Error::new(format!("npy: {what}"))
}

struct Header {
    descr: String,
    dtype: DType,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
    /// Where the array begins.
    end: usize,
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Header> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(refuse(format!(
                "these {} bytes are not an .npy file, which begins with \\x93NUMPY; numpy.save writes one",
                bytes.len()
            )));
        };
        let cut = || {
            refuse(format!(
                "the file ends after {} bytes, within its header; fetch it again",
                bytes.len()
            ))
        };
        let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        let (length, rest) = match version[0] {
            1 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
                (u64::from(u16::from_le_bytes(*length)), rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
                (u64::from(u32::from_le_bytes(*length)), rest)
            }
            other => {
                return Err(refuse(format!(
                    "the file has version {other}; 1, 2 and 3 are read, so write it again with numpy.save"
                )));
            }
        };
        if length > rest.len() as u64 {
            return Err(refuse(format!(
                "the file claims a header of {length} bytes, and {} follow; it is cut short, so fetch it again",
                rest.len()
            )));
        }
        let text = &rest[..length as usize];
        let end = bytes.len() - rest.len() + text.len();
        let fields = Scanner { text, at: 0 }.fields().map_err(|what| {
            let text = String::from_utf8_lossy(&text[..text.len().min(80)]);
            refuse(format!(
                "the header {} cannot be read: {what}; expected what numpy.save writes, so save the array again",
                quoted(text.trim_end())
            ))
        })?;
        let (dtype, big_endian) = dtype_of(&fields.descr)?;
        Ok(Header {
            descr: fields.descr,
            dtype,
            big_endian,
            fortran: fields.fortran,
            shape: fields.shape,
            end,
        })
    }

    fn array<'a>(&self, bytes: Cow<'a, [u8]>) -> Result<Array<'a>> {
        let item = self.dtype.size();
        let wanted = strided::size_of(item, &self.shape);
        if wanted != Some(bytes.len()) {
            return Err(refuse(format!(
                "shape {:?} of {} takes {}, and {} follow the header; the file is cut short or damaged, so fetch it again",
                self.shape,
                self.descr,
                strided::told(wanted),
                bytes.len()
            )));
        }
        let mut bytes = bytes;
        if self.fortran && self.shape.len() > 1 {
            let reversed: Vec<usize> = self.shape.iter().rev().copied().collect();
            let mut strides = strided::strides_of(&reversed);
            strides.reverse();
            bytes = Cow::Owned(strided::row_major(&bytes, item, &self.shape, &strides));
        }
        if self.big_endian && item > 1 {
            strided::swap_bytes(bytes.to_mut(), item);
        }
        Array::new(self.dtype, self.shape.clone(), bytes)
    }
}

/// The dtype that NumPy's text names, and whether its bytes come most significant first.
fn dtype_of(descr: &str) -> Result<(DType, bool)> {
    let (order, code) = descr.split_at_checked(1).unwrap_or(("", descr));
    let found = CODES.iter().find(|&&(other, _)| other == code);
    match (order, found) {
        ("<" | ">" | "|" | "=", Some(&(_, dtype))) => Ok((dtype, order == ">")),
        _ => {
            let what = match code.bytes().next() {
                Some(b'O') => "Python objects, which are pickles",
                Some(b'c') => "complex numbers",
                Some(b'S' | b'U' | b'a') => "text",
                Some(b'M' | b'm') => "dates or durations",
                _ => "no numbers that glowgrad has",
            };
            Err(refuse(format!(
                "elements of type {} are {what}; save numbers such as array.astype(\"float32\")",
                quoted(descr)
            )))
        }
    }
}

/// What the header says.
struct Fields {
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, its keys in any order.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn fields(mut self) -> std::result::Result<Fields, String> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while !self.accept(b'}') {
            let key = self.string()?;
            self.expect(b':')?;
            match key.as_str() {
                "descr" if self.peek() != Some(b'[') => descr = Some(self.string()?),
                "descr" => return Err("its elements are records with fields, not numbers".into()),
                "fortran_order" => fortran = Some(self.truth()?),
                "shape" => shape = Some(self.shape()?),
                other => return Err(format!("it has the key {}", quoted(other))),
            }
            if !self.accept(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        if self.peek().is_some() {
            return Err("text follows the dict".into());
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Fields {
                descr,
                fortran,
                shape,
            }),
            _ => Err("it lacks one of descr, fortran_order and shape".into()),
        }
    }

    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: u8) -> std::result::Result<(), String> {
        if self.accept(wanted) {
            return Ok(());
        }
        let wanted = char::from(wanted);
        Err(match self.text.get(self.at) {
            Some(&byte) => format!(
                "byte {} is {:?} and not {wanted:?}",
                self.at,
                char::from(byte)
            ),
            None => format!("it ends before a {wanted:?}"),
        })
    }

    fn string(&mut self) -> std::result::Result<String, String> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(format!("byte {} begins no text in quotes", self.at)),
        };
        let rest = &self.text[self.at + 1..];
        let length = (rest.iter().position(|&byte| byte == quote))
            .ok_or_else(|| "a quote is not closed".to_owned())?;
        self.at += length + 2;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    fn truth(&mut self) -> std::result::Result<bool, String> {
        self.peek();
        for (word, truth) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(truth);
            }
        }
        Err("fortran_order is neither True nor False".into())
    }

    fn shape(&mut self) -> std::result::Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        self.expect(b'(')?;
        while !self.accept(b')') {
            if shape.len() == MOST_DIMENSIONS {
                return Err(format!("it has more than {MOST_DIMENSIONS} dimensions"));
            }
            shape.push(self.size()?);
            if !self.accept(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(shape)
    }

    fn size(&mut self) -> std::result::Result<usize, String> {
        self.peek();
        let rest = &self.text[self.at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = String::from_utf8_lossy(&rest[..digits]);
        let size = text.parse().map_err(|_| match rest.first() {
            Some(b'-') => "a size is negative".to_owned(),
            _ if digits > 0 => format!("the size {} is beyond all memory", quoted(&text)),
            _ => format!("byte {} begins no size", self.at),
        })?;
        self.at += digits;
        // Python 2 wrote long integers as 3L.
        self.accept(b'L');
        Ok(size)
    }
}
