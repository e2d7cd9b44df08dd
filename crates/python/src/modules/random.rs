//! `_random`: the Mersenne Twister as Python's `random` uses it, so that `random.seed(0)` gives the
//! numbers CPython gives. The distributions are in `lib/random.py`.
//!
//! Method: Matsumoto and Nishimura, "Mersenne Twister" (1998), with `init_by_array` seeding.

pub(crate) use _random::module_def;

const LENGTH: usize = 624;
const SHIFT: usize = 397;

/// mt19937.
#[derive(Clone)]
struct Twister {
    state: [u32; LENGTH],
    index: usize,
}

impl Twister {
    fn from_seed(seed: u32) -> Twister {
        let mut state = [0; LENGTH];
        state[0] = seed;
        for index in 1..LENGTH {
            let previous: u32 = state[index - 1];
            state[index] = 1_812_433_253u32
                .wrapping_mul(previous ^ (previous >> 30))
                .wrapping_add(index as u32);
        }
        Twister {
            state,
            index: LENGTH,
        }
    }

    fn from_key(key: &[u32]) -> Twister {
        let mut twister = Twister::from_seed(19_650_218);
        let state = &mut twister.state;
        let (mut i, mut j) = (1, 0);
        for _ in 0..LENGTH.max(key.len()) {
            let previous = state[i - 1];
            state[i] = (state[i] ^ (previous ^ (previous >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            i += 1;
            j += 1;
            if i >= LENGTH {
                state[0] = state[LENGTH - 1];
                i = 1;
            }
            if j >= key.len() {
                j = 0;
            }
        }
        for _ in 0..LENGTH - 1 {
            let previous = state[i - 1];
            state[i] = (state[i] ^ (previous ^ (previous >> 30)).wrapping_mul(1_566_083_941))
                .wrapping_sub(i as u32);
            i += 1;
            if i >= LENGTH {
                state[0] = state[LENGTH - 1];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        twister
    }

    fn next(&mut self) -> u32 {
        if self.index >= LENGTH {
            for i in 0..LENGTH {
                let bits =
                    (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % LENGTH] & 0x7fff_ffff);
                let odd = if bits & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + SHIFT) % LENGTH] ^ (bits >> 1) ^ odd;
            }
            self.index = 0;
        }
        let mut y = self.state[self.index];
        self.index += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// A float in `[0, 1)` with 53 bits.
    fn next_float(&mut self) -> f64 {
        let (high, low) = (self.next() >> 5, self.next() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }
}

#[rustpython_vm::pymodule]
mod _random {
    use std::cell::RefCell;

    use malachite_bigint::{BigInt, Sign};
    use rustpython_vm::builtins::{PyBytesRef, PyInt, PyTupleRef};
    use rustpython_vm::function::{FuncArgs, OptionalOption};
    use rustpython_vm::types::Constructor;
    use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

    use super::Twister;
    use crate::runtime::Runtime;

    #[pyattr]
    #[pyclass(name = "Random", module = "_random")]
    #[derive(PyPayload)]
    struct Random {
        twister: RefCell<Twister>,
    }

    impl std::fmt::Debug for Random {
        fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("Random")
        }
    }

    impl Constructor for Random {
        type Args = FuncArgs;

        fn py_new(
            _class: &Py<rustpython_vm::builtins::PyType>,
            _args: FuncArgs,
            _vm: &VirtualMachine,
        ) -> PyResult<Self> {
            Ok(Random {
                twister: RefCell::new(Twister::from_key(&[0])),
            })
        }
    }

    #[pyclass(with(Constructor), flags(BASETYPE))]
    impl Random {
        #[pymethod]
        fn random(zelf: &Py<Self>) -> f64 {
            zelf.twister.borrow_mut().next_float()
        }

        #[pymethod]
        fn seed(
            zelf: &Py<Self>,
            seed: OptionalOption<PyObjectRef>,
            vm: &VirtualMachine,
        ) -> PyResult<()> {
            let key: Vec<u32> = match seed.flatten() {
                None => {
                    let bits = Runtime::current().host.now_millis().to_bits();
                    vec![bits as u32, (bits >> 32) as u32]
                }
                Some(seed) => match seed.downcast_ref::<PyInt>() {
                    Some(int) => int.as_bigint().iter_u32_digits().collect(),
                    // CPython hashes other objects too; bytes come from lib/random.py.
                    None => {
                        let bytes: PyBytesRef = seed.try_into_value(vm)?;
                        BigInt::from_bytes_be(Sign::Plus, bytes.as_bytes())
                            .iter_u32_digits()
                            .collect()
                    }
                },
            };
            let key = if key.is_empty() { vec![0] } else { key };
            *zelf.twister.borrow_mut() = Twister::from_key(&key);
            Ok(())
        }

        #[pymethod]
        fn getrandbits(zelf: &Py<Self>, bits: isize, vm: &VirtualMachine) -> PyResult<BigInt> {
            let Ok(mut bits) = usize::try_from(bits) else {
                return Err(vm.new_value_error("number of bits must be non-negative"));
            };
            crate::limits::check_bits(bits as u64, "getrandbits", vm)?;
            let mut twister = zelf.twister.borrow_mut();
            let mut digits = Vec::with_capacity(bits.div_ceil(32));
            while bits > 0 {
                let word = twister.next();
                digits.push(if bits < 32 { word >> (32 - bits) } else { word });
                bits = bits.saturating_sub(32);
            }
            Ok(BigInt::from_slice(Sign::Plus, &digits))
        }

        #[pymethod]
        fn getstate(zelf: &Py<Self>, vm: &VirtualMachine) -> PyTupleRef {
            let twister = zelf.twister.borrow();
            let words = twister
                .state
                .iter()
                .copied()
                .chain([twister.index as u32])
                .map(|word| vm.ctx.new_int(word).into())
                .collect();
            vm.ctx.new_tuple(words)
        }

        #[pymethod]
        fn setstate(zelf: &Py<Self>, state: PyTupleRef, vm: &VirtualMachine) -> PyResult<()> {
            let words: Vec<u32> = state
                .iter()
                .map(|word| word.try_to_value(vm))
                .collect::<PyResult<_>>()?;
            let valid = words.len() == super::LENGTH + 1 && words[super::LENGTH] <= 624;
            if !valid {
                return Err(vm.new_value_error("state vector is not one that getstate() gave"));
            }
            let mut twister = zelf.twister.borrow_mut();
            twister.state.copy_from_slice(&words[..super::LENGTH]);
            twister.index = words[super::LENGTH] as usize;
            Ok(())
        }
    }
}
