//! Tables in CSV: columns of numbers as an array, columns of text as labels with an index.
//!
//! Lines are split by the crate `csv` (quotes, line breaks in quotes, a byte order mark). A field is a text until a
//! column is asked for with a dtype, so that no column's type is guessed. Invariants: each line has as many fields as
//! the first; a refusal names the line of the file, counted from 1, and the column. A table takes at most 64 times the
//! memory of its file while it is read: a field may be one byte, and its end is a number.
//!
//! ```
//! use glowgrad_files::csv_table::{self, Options};
//! use glowgrad_tensor::DType;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let table = csv_table::read(b"length,kind\n1.5,oak\n2,ash\n0.5,oak\n", Options::default())?;
//! let lengths = table.numbers(&["length"], DType::F32)?;
//! assert_eq!(lengths.shape(), [3, 1]);
//! let kinds = table.labels("kind")?;
//! assert_eq!(kinds.names, ["ash", "oak"]);
//! assert_eq!(kinds.index.bytes()[..9], [1, 0, 0, 0, 0, 0, 0, 0, 0]);
//! assert_eq!(
//!     table.numbers(&["kind"], DType::F32).unwrap_err().to_string(),
//!     "csv: line 2, column 2 (\"kind\"): \"oak\" is no number of float32; correct the file, or read the column as labels"
//! );
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;

use csv::{ReaderBuilder, StringRecord, Trim};
use glowgrad_tensor::DType;

use crate::error::quoted;
use crate::{Array, Error, Result};

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether the first line names the columns; they are named `0`, `1` … otherwise.
    pub header: bool,
    /// What stands between fields, such as `b','` or `b'\t'`.
    pub delimiter: u8,
}

impl Default for Options {
    /// With a header, and commas.
    fn default() -> Options {
        Options {
            header: true,
            delimiter: b',',
        }
    }
}

/// A column of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// The different texts, in the order of their characters.
    pub names: Vec<String>,
    /// int64 of shape [rows]: the place in `names` of each row's text.
    pub index: Array<'static>,
}

/// A table whose fields are texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    names: Vec<String>,
    /// All fields, one after another, row by row.
    text: String,
    /// Where each field ends in `text`.
    ends: Vec<u32>,
    /// The line of the file on which each row begins.
    lines: Vec<u32>,
}

/// The table in the bytes of a file. Blanks around fields are dropped.
///
/// # Errors
/// When the file is empty, is not UTF-8, has lines of different lengths, names two columns alike, or has 4 GiB.
pub fn read(bytes: &[u8], options: Options) -> Result<Table> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(refuse(format!(
            "the file has {} bytes, and tables below 4 GiB are read; split it",
            bytes.len()
        )));
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .delimiter(options.delimiter)
        .trim(Trim::All)
        .from_reader(bytes);
    let mut table = Table {
        names: Vec::new(),
        text: String::new(),
        ends: Vec::new(),
        lines: Vec::new(),
    };
    let mut record = StringRecord::new();
    let mut is_first = true;
    while reader
        .read_record(&mut record)
        .map_err(|error| sentence(&error))?
    {
        if is_first {
            is_first = false;
            table.names = if options.header {
                record.iter().map(str::to_owned).collect()
            } else {
                (0..record.len()).map(|index| index.to_string()).collect()
            };
            if options.header {
                continue;
            }
        }
        for field in &record {
            table.text += field;
            table.ends.push(table.text.len() as u32);
        }
        let line = record.position().map_or(0, csv::Position::line);
        table.lines.push(line as u32);
    }
    if is_first {
        return Err(refuse(
            "the file has no line; expected a table with a line of names or numbers".to_owned(),
        ));
    }
    let mut sorted: Vec<&String> = table.names.iter().collect();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refuse(format!(
            "line 1 names two columns {}; rename one, or read the file without a header",
            quoted(twice[0])
        )));
    }
    Ok(table)
}

impl Table {
    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many rows there are, the header not counted.
    pub fn n_rows(&self) -> usize {
        self.lines.len()
    }

    /// The fields of a column.
    ///
    /// # Errors
    /// When no column has this name.
    pub fn texts(&self, column: &str) -> Result<Vec<&str>> {
        let column = self.column(column)?;
        Ok((0..self.n_rows())
            .map(|row| self.field(row, column))
            .collect())
    }

    /// Whether every field of a column is a number of this dtype.
    ///
    /// # Errors
    /// When no column has this name, or for a dtype that [`Table::numbers`] does not read.
    pub fn is_numeric(&self, column: &str, dtype: DType) -> Result<bool> {
        let (column, put) = (self.column(column)?, writer(dtype)?);
        let mut out = Vec::new();
        Ok((0..self.n_rows()).all(|row| {
            out.clear();
            put(self.field(row, column), dtype, &mut out).is_some()
        }))
    }

    /// Columns of numbers as an array of shape [rows, columns]: float32, float64 or an integer dtype.
    ///
    /// # Errors
    /// When no column has such a name, when a field is no number of this dtype, and for other dtypes.
    pub fn numbers(&self, columns: &[impl AsRef<str>], dtype: DType) -> Result<Array<'static>> {
        let put = writer(dtype)?;
        let columns = columns.iter().map(|name| self.column(name.as_ref()));
        let columns: Vec<usize> = columns.collect::<Result<_>>()?;
        let mut bytes = Vec::new();
        for row in 0..self.n_rows() {
            for &column in &columns {
                let field = self.field(row, column);
                if put(field, dtype, &mut bytes).is_none() {
                    let what = if field.is_empty() {
                        "the field is empty".to_owned()
                    } else {
                        format!("{} is no number of {}", quoted(field), dtype.name())
                    };
                    return Err(refuse(format!(
                        "line {}, column {} ({}): {what}; correct the file, or read the column as labels",
                        self.lines[row],
                        column + 1,
                        quoted(&self.names[column])
                    )));
                }
            }
        }
        Array::new(dtype, vec![self.n_rows(), columns.len()], bytes)
    }

    /// A column of text as labels.
    ///
    /// # Errors
    /// When no column has this name.
    pub fn labels(&self, column: &str) -> Result<Labels> {
        let column = self.column(column)?;
        let fields = || (0..self.n_rows()).map(|row| self.field(row, column));
        let mut places: BTreeMap<&str, i64> = fields().map(|field| (field, 0)).collect();
        for (next, place) in (0..).zip(places.values_mut()) {
            *place = next;
        }
        let index = fields().flat_map(|field| places[field].to_le_bytes());
        Ok(Labels {
            index: Array::new(DType::I64, vec![self.n_rows()], index.collect::<Vec<u8>>())?,
            names: places.into_keys().map(str::to_owned).collect(),
        })
    }

    fn column(&self, name: &str) -> Result<usize> {
        let found = self.names.iter().position(|other| other == name);
        found.ok_or_else(|| {
            let known: Vec<String> = self.names.iter().take(8).map(|name| quoted(name)).collect();
            refuse(format!(
                "no column is named {}; the table has {} columns: {}{}",
                quoted(name),
                self.names.len(),
                known.join(", "),
                if self.names.len() > 8 { " …" } else { "" }
            ))
        })
    }

    fn field(&self, row: usize, column: usize) -> &str {
        let at = row * self.names.len() + column;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[at] as usize]
    }
}

/// Puts a number's bytes; none where the text is no number of the dtype.
type Put = fn(&str, DType, &mut Vec<u8>) -> Option<()>;

fn writer(dtype: DType) -> Result<Put> {
    match dtype {
        DType::F32 => Ok(|text, _, out| {
            out.extend_from_slice(&text.parse::<f32>().ok()?.to_le_bytes());
            Some(())
        }),
        DType::F64 => Ok(|text, _, out| {
            out.extend_from_slice(&text.parse::<f64>().ok()?.to_le_bytes());
            Some(())
        }),
        integer if integer.is_int() => Ok(|text, dtype, out| {
            let number: i128 = text.parse().ok()?;
            let (low, high) = dtype.int_range();
            if !(low..=high).contains(&number) {
                return None;
            }
            out.extend_from_slice(&number.to_le_bytes()[..dtype.size()]);
            Some(())
        }),
        other => Err(refuse(format!(
            "numbers are read as float32, float64 or an integer dtype, not as {}; read float32 and convert the tensor",
            other.name()
        ))),
    }
}

fn sentence(error: &csv::Error) -> Error {
    let line = error.position().map_or(0, csv::Position::line);
    refuse(match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!(
            "line {line} has another number of fields than the first: {len} and not {expected_len}; correct the file, or name another delimiter"
        ),
        csv::ErrorKind::Utf8 { err, .. } => format!(
            "line {line}, column {}: the field is not UTF-8; save the file as UTF-8",
            err.field() + 1
        ),
        _ => format!("the file is damaged ({error}); save it again"),
    })
}

fn refuse(what: String) -> Error {
    Error::new(format!("csv: {what}"))
}
