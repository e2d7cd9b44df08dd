//! `_packing`: streams of DEFLATE and checksums, on which `zlib.py`, `gzip.py` and `hashlib.py` of the library stand.

pub(crate) use _packing::module_def;

#[rustpython_vm::pymodule]
mod _packing {
    use std::cell::RefCell;

    use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
    use rustpython_vm::function::ArgBytesLike;
    use rustpython_vm::{Py, PyPayload, PyResult, VirtualMachine, pyclass};
    use sha2::Digest;

    use crate::tick;

    /// How much is made between two ticks.
    const STEP: usize = 1 << 18;
    /// The most bytes that one call makes: a short stream may be one of very many zeros.
    const MOST_BYTES: usize = 1 << 30;

    /// A stream that is read.
    #[pyattr]
    #[pyclass(name = "Inflate", module = "_packing")]
    #[derive(Debug, PyPayload)]
    struct Inflate {
        stream: RefCell<Decompress>,
    }

    #[pyclass]
    impl Inflate {
        /// The next bytes, at most `limit` unless that is 0; how many of `data` were read; whether the stream has ended.
        #[pymethod]
        fn feed(
            zelf: &Py<Self>,
            data: ArgBytesLike,
            limit: usize,
            vm: &VirtualMachine,
        ) -> PyResult<(Vec<u8>, usize, bool)> {
            let data = data.borrow_buf();
            let most = if limit == 0 {
                MOST_BYTES
            } else {
                limit.min(MOST_BYTES)
            };
            let mut stream = zelf.stream.borrow_mut();
            let (mut out, mut read) = (Vec::new(), 0);
            loop {
                tick::look_soon();
                out.reserve_exact(STEP.min(most - out.len()));
                let (before, made) = (stream.total_in(), out.len());
                let status = stream
                    .decompress_vec(&data[read..], &mut out, FlushDecompress::None)
                    .map_err(|error| vm.new_value_error(error.to_string()))?;
                read += (stream.total_in() - before) as usize;
                let is_done = match status {
                    Status::StreamEnd => return Ok((out, read, true)),
                    _ => out.len() == made || out.len() < out.capacity(),
                };
                if out.len() >= most && limit == 0 {
                    return Err(vm.new_memory_error("the stream holds more than 1 GiB".to_owned()));
                }
                if is_done || out.len() >= most {
                    return Ok((out, read, false));
                }
            }
        }
    }

    /// A stream that is written.
    #[pyattr]
    #[pyclass(name = "Deflate", module = "_packing")]
    #[derive(Debug, PyPayload)]
    struct Deflate {
        stream: RefCell<Compress>,
    }

    #[pyclass]
    impl Deflate {
        /// The next bytes of the stream; `finish` ends it.
        #[pymethod]
        fn feed(
            zelf: &Py<Self>,
            data: ArgBytesLike,
            finish: bool,
            vm: &VirtualMachine,
        ) -> PyResult<Vec<u8>> {
            let data = data.borrow_buf();
            let flush = match finish {
                true => FlushCompress::Finish,
                false => FlushCompress::None,
            };
            let mut stream = zelf.stream.borrow_mut();
            let (mut out, mut read) = (Vec::new(), 0);
            loop {
                tick::look_soon();
                out.reserve(STEP);
                let (before, made) = (stream.total_in(), out.len());
                let status = stream
                    .compress_vec(&data[read..], &mut out, flush)
                    .map_err(|error| vm.new_value_error(error.to_string()))?;
                read += (stream.total_in() - before) as usize;
                let is_read = read == data.len();
                let waits = is_read && !finish || out.len() == made && is_read;
                if status == Status::StreamEnd || waits {
                    return Ok(out);
                }
            }
        }
    }

    /// Reads a stream of DEFLATE, within zlib's header and checksum or without.
    #[pyfunction]
    fn inflate(has_header: bool) -> Inflate {
        Inflate {
            stream: RefCell::new(Decompress::new(has_header)),
        }
    }

    /// Writes a stream of DEFLATE; levels are 0 to 9.
    #[pyfunction]
    fn deflate(level: u32, has_header: bool) -> Deflate {
        Deflate {
            stream: RefCell::new(Compress::new(Compression::new(level.min(9)), has_header)),
        }
    }

    #[pyfunction]
    fn crc32(data: ArgBytesLike, value: u32) -> u32 {
        let mut sum = crc32fast::Hasher::new_with_initial(value);
        sum.update(&data.borrow_buf());
        sum.finalize()
    }

    #[pyfunction]
    fn adler32(data: ArgBytesLike, value: u32) -> u32 {
        let mut sum = adler2::Adler32::from_checksum(value);
        sum.write_slice(&data.borrow_buf());
        sum.checksum()
    }

    /// The digest of bytes; none of an unknown name.
    #[pyfunction]
    fn digest(name: String, data: ArgBytesLike) -> Option<Vec<u8>> {
        let data = data.borrow_buf();
        Some(match name.as_str() {
            "md5" => md5::Md5::digest(&*data).to_vec(),
            "sha1" => sha1::Sha1::digest(&*data).to_vec(),
            "sha224" => sha2::Sha224::digest(&*data).to_vec(),
            "sha256" => sha2::Sha256::digest(&*data).to_vec(),
            "sha384" => sha2::Sha384::digest(&*data).to_vec(),
            "sha512" => sha2::Sha512::digest(&*data).to_vec(),
            _ => return None,
        })
    }
}
