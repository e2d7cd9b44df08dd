//! The messages of `onnx.proto`, by hand: a field's number and kind are those of the ONNX specification (IR version 13).
//!
//! Invariant: every message that a reader of models, a writer or a checker needs is here with all of its fields, so that
//! a model that is decoded and encoded again keeps them. Left out, and dropped when read: what a model says about
//! training, devices, sharding and quantization notes.

use prost::{Message, Oneof};

/// A model: a graph, and what it needs to be read.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// The version of the format.
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    /// The operator sets whose operators the graph uses.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// The program that wrote the file.
    #[prost(string, optional, tag = "2")]
    pub producer_name: Option<String>,
    /// Its version.
    #[prost(string, optional, tag = "3")]
    pub producer_version: Option<String>,
    /// The model's name space, as a reversed domain name.
    #[prost(string, optional, tag = "4")]
    pub domain: Option<String>,
    /// The version of the model itself.
    #[prost(int64, optional, tag = "5")]
    pub model_version: Option<i64>,
    /// For readers.
    #[prost(string, optional, tag = "6")]
    pub doc_string: Option<String>,
    /// What is computed.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// Notes by name.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
    /// Operators that the model defines itself.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
}

/// Nodes in an order in which each can run, with their constants, inputs and outputs.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// What runs, each after what it reads.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// Its name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Constants: the weights.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Constants of which most elements are 0.
    #[prost(message, repeated, tag = "15")]
    pub sparse_initializer: Vec<SparseTensorProto>,
    /// For readers.
    #[prost(string, optional, tag = "10")]
    pub doc_string: Option<String>,
    /// What a caller gives; one that is an initializer too has that for a default.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// What a caller gets.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// Types of values between.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
    /// Notes by name.
    #[prost(message, repeated, tag = "16")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// One call of an operator.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// Names of what it reads; an empty one is an input that is left out.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of what it makes; an empty name stands for an output that no node reads.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Its name.
    #[prost(string, optional, tag = "3")]
    pub name: Option<String>,
    /// The operator: `Conv`.
    #[prost(string, optional, tag = "4")]
    pub op_type: Option<String>,
    /// The operator's set; empty for ONNX's own.
    #[prost(string, optional, tag = "7")]
    pub domain: Option<String>,
    /// Which of several functions of the same name.
    #[prost(string, optional, tag = "8")]
    pub overload: Option<String>,
    /// Options.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// For readers.
    #[prost(string, optional, tag = "6")]
    pub doc_string: Option<String>,
    /// Notes by name.
    #[prost(message, repeated, tag = "9")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// An option of a node; `type` says which field holds it.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// Its name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// In a function: the attribute of the function whose value this takes.
    #[prost(string, optional, tag = "21")]
    pub ref_attr_name: Option<String>,
    /// For readers.
    #[prost(string, optional, tag = "13")]
    pub doc_string: Option<String>,
    /// Which field is meant.
    #[prost(enumeration = "AttributeType", optional, tag = "20")]
    pub r#type: Option<i32>,
    /// A float.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// Text, in UTF-8.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    /// A tensor.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// A graph: a branch of `If`, the body of `Loop`.
    #[prost(message, optional, boxed, tag = "6")]
    pub g: Option<Box<GraphProto>>,
    /// A sparse tensor.
    #[prost(message, optional, tag = "22")]
    pub sparse_tensor: Option<SparseTensorProto>,
    /// A type.
    #[prost(message, optional, tag = "14")]
    pub tp: Option<TypeProto>,
    /// Floats.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Texts, in UTF-8.
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub strings: Vec<Vec<u8>>,
    /// Tensors.
    #[prost(message, repeated, tag = "10")]
    pub tensors: Vec<TensorProto>,
    /// Graphs.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
    /// Sparse tensors.
    #[prost(message, repeated, tag = "23")]
    pub sparse_tensors: Vec<SparseTensorProto>,
    /// Types.
    #[prost(message, repeated, tag = "15")]
    pub type_protos: Vec<TypeProto>,
}

/// Which field of an [`AttributeProto`] holds its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum AttributeType {
    /// None.
    Undefined = 0,
    /// `f`
    Float = 1,
    /// `i`
    Int = 2,
    /// `s`
    String = 3,
    /// `t`
    Tensor = 4,
    /// `g`
    Graph = 5,
    /// `floats`
    Floats = 6,
    /// `ints`
    Ints = 7,
    /// `strings`
    Strings = 8,
    /// `tensors`
    Tensors = 9,
    /// `graphs`
    Graphs = 10,
    /// `sparse_tensor`
    SparseTensor = 11,
    /// `sparse_tensors`
    SparseTensors = 12,
    /// `tp`
    TypeProto = 13,
    /// `type_protos`
    TypeProtos = 14,
}

/// A tensor: its elements stand in `raw_data`, or in the field of their type.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// Sizes.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    /// The type of an element.
    #[prost(enumeration = "DataType", optional, tag = "2")]
    pub data_type: Option<i32>,
    /// Which part of a larger tensor this is.
    #[prost(message, optional, tag = "3")]
    pub segment: Option<Segment>,
    /// Elements of float32.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Elements of the integers up to 32 bits, of bool, and the bits of half-width floats.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Texts.
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub string_data: Vec<Vec<u8>>,
    /// Elements of int64.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// Its name.
    #[prost(string, optional, tag = "8")]
    pub name: Option<String>,
    /// For readers.
    #[prost(string, optional, tag = "12")]
    pub doc_string: Option<String>,
    /// Elements of any type but text, row-major and little-endian.
    #[prost(bytes = "vec", optional, tag = "9")]
    pub raw_data: Option<Vec<u8>>,
    /// Where the elements are, if they are in another file.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// 1 if the elements are in another file.
    #[prost(int32, optional, tag = "14")]
    pub data_location: Option<i32>,
    /// Elements of float64.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    /// Elements of uint32 and uint64.
    #[prost(uint64, repeated, tag = "11")]
    pub uint64_data: Vec<u64>,
    /// Notes by name.
    #[prost(message, repeated, tag = "16")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// A part of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Message)]
pub struct Segment {
    /// Where it begins.
    #[prost(int64, optional, tag = "1")]
    pub begin: Option<i64>,
    /// Where it ends.
    #[prost(int64, optional, tag = "2")]
    pub end: Option<i64>,
}

/// The type of a tensor's element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum DataType {
    Undefined = 0,
    Float = 1,
    Uint8 = 2,
    Int8 = 3,
    Uint16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Double = 11,
    Uint32 = 12,
    Uint64 = 13,
    Complex64 = 14,
    Complex128 = 15,
    Bfloat16 = 16,
    Float8e4m3fn = 17,
    Float8e4m3fnuz = 18,
    Float8e5m2 = 19,
    Float8e5m2fnuz = 20,
    Uint4 = 21,
    Int4 = 22,
    Float4e2m1 = 23,
    Float8e8m0 = 24,
    Uint2 = 25,
    Int2 = 26,
}

/// A tensor of which only the elements that are not 0 are kept.
#[derive(Clone, PartialEq, Message)]
pub struct SparseTensorProto {
    /// Those elements.
    #[prost(message, optional, tag = "1")]
    pub values: Option<TensorProto>,
    /// Where they are.
    #[prost(message, optional, tag = "2")]
    pub indices: Option<TensorProto>,
    /// Sizes of the whole.
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub dims: Vec<i64>,
}

/// A value's name and type.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    /// Its name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Its type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
    /// For readers.
    #[prost(string, optional, tag = "3")]
    pub doc_string: Option<String>,
    /// Notes by name.
    #[prost(message, repeated, tag = "4")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// A value's type.
#[derive(Clone, PartialEq, Message)]
pub struct TypeProto {
    /// Which kind.
    #[prost(oneof = "TypeValue", tags = "1, 4, 5, 8, 9")]
    pub value: Option<TypeValue>,
    /// What the value means, such as an image.
    #[prost(string, optional, tag = "6")]
    pub denotation: Option<String>,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Oneof)]
pub enum TypeValue {
    /// A tensor.
    #[prost(message, tag = "1")]
    Tensor(TensorType),
    /// A list of values.
    #[prost(message, boxed, tag = "4")]
    Sequence(Box<ElementType>),
    /// Values by key.
    #[prost(message, boxed, tag = "5")]
    Map(Box<MapType>),
    /// A sparse tensor.
    #[prost(message, tag = "8")]
    SparseTensor(TensorType),
    /// A value that may be absent.
    #[prost(message, boxed, tag = "9")]
    Optional(Box<ElementType>),
}

/// A tensor's type: what its elements are, and its sizes if they are known.
#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    /// The type of an element.
    #[prost(enumeration = "DataType", optional, tag = "1")]
    pub elem_type: Option<i32>,
    /// Sizes; without it even their number is open.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The type of a list, or of a value that may be absent.
#[derive(Clone, PartialEq, Message)]
pub struct ElementType {
    /// The type of what is in it.
    #[prost(message, optional, tag = "1")]
    pub elem_type: Option<TypeProto>,
}

/// The type of values by key.
#[derive(Clone, PartialEq, Message)]
pub struct MapType {
    /// The type of a key.
    #[prost(enumeration = "DataType", optional, tag = "1")]
    pub key_type: Option<i32>,
    /// The type of a value.
    #[prost(message, optional, tag = "2")]
    pub value_type: Option<TypeProto>,
}

/// Sizes.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// One for each dimension.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<Dimension>,
}

/// A size: a number, a name that stands for one, or open.
#[derive(Clone, PartialEq, Message)]
pub struct Dimension {
    /// The number or name.
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub value: Option<DimensionValue>,
    /// What the dimension means, such as a batch.
    #[prost(string, optional, tag = "3")]
    pub denotation: Option<String>,
}

/// A size that is known, or named.
#[derive(Clone, PartialEq, Oneof)]
pub enum DimensionValue {
    /// A number.
    #[prost(int64, tag = "1")]
    Value(i64),
    /// A name.
    #[prost(string, tag = "2")]
    Param(String),
}

/// An operator set, by name and version.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct OperatorSetIdProto {
    /// Its name; empty for ONNX's own.
    #[prost(string, optional, tag = "1")]
    pub domain: Option<String>,
    /// Its version.
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

/// A note.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct StringStringEntryProto {
    /// Its name.
    #[prost(string, optional, tag = "1")]
    pub key: Option<String>,
    /// What it says.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

/// An operator that a model defines by nodes.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionProto {
    /// Its name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Names of what it reads.
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    /// Names of what it makes.
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    /// Attributes that a call must give.
    #[prost(string, repeated, tag = "6")]
    pub attribute: Vec<String>,
    /// Attributes with a default.
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<AttributeProto>,
    /// What runs.
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<NodeProto>,
    /// For readers.
    #[prost(string, optional, tag = "8")]
    pub doc_string: Option<String>,
    /// The operator sets of its nodes.
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// The operator set that it belongs to.
    #[prost(string, optional, tag = "10")]
    pub domain: Option<String>,
    /// Which of several functions of the same name.
    #[prost(string, optional, tag = "13")]
    pub overload: Option<String>,
    /// Types of values between.
    #[prost(message, repeated, tag = "12")]
    pub value_info: Vec<ValueInfoProto>,
    /// Notes by name.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
}
