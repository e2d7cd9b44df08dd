//! `math`: the names, domains and errors of CPython's module.
//!
//! Special functions come from `libm`, so natively and in wasm they give the same bits.

pub(crate) use math::module_def;

/// A function of one float, and whether its infinities are poles (a domain error) or overflows.
type Unary = (&'static str, fn(f64) -> f64, bool);

const UNARY: &[Unary] = &[
    ("sqrt", libm::sqrt, false),
    ("cbrt", libm::cbrt, false),
    ("exp", libm::exp, false),
    ("exp2", libm::exp2, false),
    ("expm1", libm::expm1, false),
    ("log1p", libm::log1p, true),
    ("sin", libm::sin, false),
    ("cos", libm::cos, false),
    ("tan", libm::tan, false),
    ("asin", libm::asin, false),
    ("acos", libm::acos, false),
    ("atan", libm::atan, false),
    ("sinh", libm::sinh, false),
    ("cosh", libm::cosh, false),
    ("tanh", libm::tanh, false),
    ("asinh", libm::asinh, false),
    ("acosh", libm::acosh, false),
    ("atanh", libm::atanh, true),
    ("erf", libm::erf, false),
    ("erfc", libm::erfc, false),
    ("fabs", libm::fabs, false),
    ("degrees", f64::to_degrees, false),
    ("radians", f64::to_radians, false),
];

#[rustpython_vm::pymodule]
#[allow(
    non_upper_case_globals,
    clippy::module_inception,
    reason = "Python's names"
)]
mod math {
    use malachite_bigint::BigInt;
    use num_integer::Integer;
    use num_traits::{One, Signed, ToPrimitive, Zero};
    use rustpython_vm::builtins::{PyFloat, PyInt, PyIntRef, PyModule};
    use rustpython_vm::function::{ArgIntoFloat, OptionalArg, PosArgs};
    use rustpython_vm::{AsObject, Py, PyObjectRef, PyResult, VirtualMachine};

    use crate::limits::{MOST_DIVIDED, check_bits};
    use crate::tick;

    #[pyattr]
    const pi: f64 = std::f64::consts::PI;
    #[pyattr]
    const e: f64 = std::f64::consts::E;
    #[pyattr]
    const tau: f64 = std::f64::consts::TAU;
    #[pyattr]
    const inf: f64 = f64::INFINITY;
    #[pyattr]
    const nan: f64 = f64::NAN;

    pub(crate) fn module_exec(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
        __module_exec(vm, module);
        for (name, function, pole) in super::UNARY {
            let function = vm.new_function(
                name,
                move |x: ArgIntoFloat, vm: &VirtualMachine| -> PyResult<f64> {
                    let x = x.into_float();
                    checked(x, function(x), *pole, vm)
                },
            );
            module.set_attr(*name, function, vm)?;
        }
        Ok(())
    }

    /// NaN from what was no NaN is a domain error; infinity from what was finite is a pole or an
    /// overflow.
    fn checked(x: f64, y: f64, pole: bool, vm: &VirtualMachine) -> PyResult<f64> {
        if y.is_nan() && !x.is_nan() || pole && y.is_infinite() && x.is_finite() {
            return Err(vm.new_value_error(format!("math domain error: got {x}")));
        }
        if y.is_infinite() && x.is_finite() {
            return Err(vm.new_overflow_error("math range error"));
        }
        Ok(y)
    }

    fn integers(args: PosArgs<PyIntRef>) -> impl Iterator<Item = BigInt> {
        args.into_iter().map(|int| int.as_bigint().clone())
    }

    /// `log` of an integer too large for a float is that of its leading bits plus the rest's.
    fn log_of(x: &PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        if let Some(int) = x.downcast_ref::<PyInt>() {
            let int = int.as_bigint();
            let bits = int.bits();
            if bits > 1000 && int.is_positive() {
                let shift = bits - 64;
                let leading = (int >> shift as usize).to_f64().unwrap_or(f64::INFINITY);
                return Ok(libm::log(leading) + shift as f64 * std::f64::consts::LN_2);
            }
        }
        let x: ArgIntoFloat = x.clone().try_into_value(vm)?;
        let x = x.into_float();
        if x <= 0.0 {
            return Err(vm.new_value_error(format!("math domain error: log of {x}")));
        }
        Ok(libm::log(x))
    }

    #[pyfunction]
    fn log(x: PyObjectRef, base: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<f64> {
        let y = log_of(&x, vm)?;
        match base {
            OptionalArg::Missing => Ok(y),
            OptionalArg::Present(base) => {
                let base = log_of(&base, vm)?;
                if base == 0.0 {
                    return Err(vm.new_zero_division_error("division by zero"));
                }
                Ok(y / base)
            }
        }
    }

    #[pyfunction]
    fn log2(x: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        let y = log_of(&x, vm)?;
        Ok(match x.try_float(vm) {
            Ok(x) if x.to_f64() > 0.0 => libm::log2(x.to_f64()),
            _ => y / std::f64::consts::LN_2,
        })
    }

    #[pyfunction]
    fn log10(x: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        let y = log_of(&x, vm)?;
        Ok(match x.try_float(vm) {
            Ok(x) if x.to_f64() > 0.0 => libm::log10(x.to_f64()),
            _ => y / std::f64::consts::LN_10,
        })
    }

    #[pyfunction]
    fn gamma(x: ArgIntoFloat, vm: &VirtualMachine) -> PyResult<f64> {
        let x = x.into_float();
        if x == f64::NEG_INFINITY || x <= 0.0 && x == x.floor() {
            return Err(vm.new_value_error(format!("math domain error: gamma of {x}")));
        }
        checked(x, libm::tgamma(x), false, vm)
    }

    #[pyfunction]
    fn lgamma(x: ArgIntoFloat, vm: &VirtualMachine) -> PyResult<f64> {
        let x = x.into_float();
        checked(x, libm::lgamma(x), true, vm)
    }

    #[pyfunction]
    fn atan2(y: ArgIntoFloat, x: ArgIntoFloat) -> f64 {
        libm::atan2(y.into_float(), x.into_float())
    }

    #[pyfunction]
    fn copysign(x: ArgIntoFloat, y: ArgIntoFloat) -> f64 {
        x.into_float().copysign(y.into_float())
    }

    #[pyfunction]
    fn pow(x: ArgIntoFloat, y: ArgIntoFloat, vm: &VirtualMachine) -> PyResult<f64> {
        let (x, y) = (x.into_float(), y.into_float());
        let power = libm::pow(x, y);
        if power.is_nan() && !x.is_nan() && !y.is_nan() || x == 0.0 && power.is_infinite() {
            return Err(vm.new_value_error(format!("math domain error: pow({x}, {y})")));
        }
        if power.is_infinite() && x.is_finite() && y.is_finite() {
            return Err(vm.new_overflow_error("math range error"));
        }
        Ok(power)
    }

    #[pyfunction]
    fn fmod(x: ArgIntoFloat, y: ArgIntoFloat, vm: &VirtualMachine) -> PyResult<f64> {
        let (x, y) = (x.into_float(), y.into_float());
        if x.is_infinite() || y == 0.0 {
            return Err(vm.new_value_error(format!("math domain error: fmod({x}, {y})")));
        }
        Ok(libm::fmod(x, y))
    }

    #[pyfunction]
    fn remainder(x: ArgIntoFloat, y: ArgIntoFloat, vm: &VirtualMachine) -> PyResult<f64> {
        let (x, y) = (x.into_float(), y.into_float());
        if x.is_infinite() || y == 0.0 {
            return Err(vm.new_value_error(format!("math domain error: remainder({x}, {y})")));
        }
        Ok(libm::remainder(x, y))
    }

    #[pyfunction]
    fn fma(x: ArgIntoFloat, y: ArgIntoFloat, z: ArgIntoFloat) -> f64 {
        libm::fma(x.into_float(), y.into_float(), z.into_float())
    }

    #[pyfunction]
    fn nextafter(x: ArgIntoFloat, y: ArgIntoFloat) -> f64 {
        libm::nextafter(x.into_float(), y.into_float())
    }

    #[pyfunction]
    fn ulp(x: ArgIntoFloat) -> f64 {
        let x = x.into_float().abs();
        if x.is_finite() {
            let next = libm::nextafter(x, f64::INFINITY);
            if next.is_finite() {
                next - x
            } else {
                x - libm::nextafter(x, 0.0)
            }
        } else {
            x
        }
    }

    #[pyfunction]
    fn ldexp(x: ArgIntoFloat, exponent: PyIntRef, vm: &VirtualMachine) -> PyResult<f64> {
        let x = x.into_float();
        let exponent = exponent.as_bigint();
        let exponent = exponent.to_i32().unwrap_or(if exponent.is_negative() {
            -10_000
        } else {
            10_000
        });
        checked(x, libm::ldexp(x, exponent), false, vm)
    }

    #[pyfunction]
    fn frexp(x: ArgIntoFloat) -> (f64, i32) {
        let x = x.into_float();
        if x == 0.0 || !x.is_finite() {
            return (x, 0);
        }
        libm::frexp(x)
    }

    #[pyfunction]
    fn modf(x: ArgIntoFloat) -> (f64, f64) {
        let x = x.into_float();
        if x.is_infinite() {
            return (0f64.copysign(x), x);
        }
        (libm::modf(x).0, libm::modf(x).1)
    }

    #[pyfunction]
    fn hypot(coordinates: PosArgs<ArgIntoFloat>) -> f64 {
        norm(coordinates.into_iter().map(ArgIntoFloat::into_float))
    }

    /// Scaled by the largest part, so that squares neither overflow nor vanish.
    fn norm(parts: impl Iterator<Item = f64>) -> f64 {
        let parts: Vec<f64> = parts.map(f64::abs).collect();
        if parts.iter().any(|part| part.is_infinite()) {
            return f64::INFINITY;
        }
        let largest = parts.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 || parts.iter().any(|part| part.is_nan()) {
            return parts.iter().sum();
        }
        if let [x, y] = parts[..] {
            return libm::hypot(x, y);
        }
        let squares: f64 = parts.iter().map(|part| (part / largest).powi(2)).sum();
        largest * squares.sqrt()
    }

    fn floats(object: PyObjectRef, vm: &VirtualMachine) -> PyResult<Vec<f64>> {
        let values: Vec<ArgIntoFloat> = object.try_to_value(vm)?;
        Ok(values.into_iter().map(ArgIntoFloat::into_float).collect())
    }

    fn pairs(
        p: PyObjectRef,
        q: PyObjectRef,
        function: &str,
        vm: &VirtualMachine,
    ) -> PyResult<Vec<(f64, f64)>> {
        let (p, q) = (floats(p, vm)?, floats(q, vm)?);
        if p.len() != q.len() {
            return Err(vm.new_value_error(format!(
                "{function}: got {} and {} values, expected as many of one as of the other",
                p.len(),
                q.len()
            )));
        }
        Ok(p.into_iter().zip(q).collect())
    }

    #[pyfunction]
    fn dist(p: PyObjectRef, q: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        Ok(norm(
            pairs(p, q, "dist", vm)?.into_iter().map(|(p, q)| p - q),
        ))
    }

    #[pyfunction]
    fn sumprod(p: PyObjectRef, q: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        let products = pairs(p, q, "sumprod", vm)?;
        Ok(exact_sum(products.into_iter().map(|(p, q)| p * q)))
    }

    #[pyfunction]
    fn fsum(values: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        Ok(exact_sum(floats(values, vm)?.into_iter()))
    }

    /// Shewchuk's partial sums (Discrete & Computational Geometry 18, 1997): no rounding until the
    /// end.
    fn exact_sum(values: impl Iterator<Item = f64>) -> f64 {
        let mut partials: Vec<f64> = Vec::new();
        let mut special = 0.0;
        for mut x in values {
            if !x.is_finite() {
                special += x;
                continue;
            }
            let mut kept = 0;
            for index in 0..partials.len() {
                let mut y = partials[index];
                if x.abs() < y.abs() {
                    std::mem::swap(&mut x, &mut y);
                }
                let high = x + y;
                let low = y - (high - x);
                if low != 0.0 {
                    partials[kept] = low;
                    kept += 1;
                }
                x = high;
            }
            partials.truncate(kept);
            partials.push(x);
        }
        if special != 0.0 || f64::is_nan(special) {
            return special;
        }
        // The largest partial decides; the rest only breaks ties between two neighbours.
        let mut sum = 0.0;
        while let Some(x) = partials.pop() {
            let before = sum;
            sum = before + x;
            let low = x - (sum - before);
            if low != 0.0 {
                if let Some(next) = partials.last()
                    && (low < 0.0) == (*next < 0.0)
                {
                    let doubled = low * 2.0;
                    let moved = sum + doubled;
                    if doubled == moved - sum {
                        sum = moved;
                    }
                }
                break;
            }
        }
        sum
    }

    #[pyfunction]
    fn isfinite(x: ArgIntoFloat) -> bool {
        x.into_float().is_finite()
    }

    #[pyfunction]
    fn isinf(x: ArgIntoFloat) -> bool {
        x.into_float().is_infinite()
    }

    #[pyfunction]
    fn isnan(x: ArgIntoFloat) -> bool {
        x.into_float().is_nan()
    }

    #[derive(rustpython_vm::FromArgs)]
    struct IsCloseArgs {
        #[pyarg(positional)]
        a: ArgIntoFloat,
        #[pyarg(positional)]
        b: ArgIntoFloat,
        #[pyarg(named, optional)]
        rel_tol: OptionalArg<ArgIntoFloat>,
        #[pyarg(named, optional)]
        abs_tol: OptionalArg<ArgIntoFloat>,
    }

    #[pyfunction]
    fn isclose(args: IsCloseArgs, vm: &VirtualMachine) -> PyResult<bool> {
        let (a, b) = (args.a.into_float(), args.b.into_float());
        let tolerance = |given: OptionalArg<ArgIntoFloat>, default: f64| match given {
            OptionalArg::Present(given) => given.into_float(),
            OptionalArg::Missing => default,
        };
        let relative = tolerance(args.rel_tol, 1e-9);
        let absolute = tolerance(args.abs_tol, 0.0);
        if relative < 0.0 || absolute < 0.0 {
            return Err(vm.new_value_error("tolerances must be non-negative"));
        }
        if a == b {
            return Ok(true);
        }
        if a.is_infinite() || b.is_infinite() {
            return Ok(false);
        }
        Ok((a - b).abs() <= absolute.max(relative * a.abs().max(b.abs())))
    }

    fn rounded(
        x: PyObjectRef,
        method: &'static str,
        function: fn(f64) -> f64,
        vm: &VirtualMachine,
    ) -> PyResult {
        if x.downcast_ref::<PyInt>().is_some() {
            return Ok(x);
        }
        if x.downcast_ref::<PyFloat>().is_none()
            && let Some(method) = vm.get_attribute_opt(&x, vm.ctx.intern_str(method))?
        {
            return method.call((), vm);
        }
        let x: ArgIntoFloat = x.try_into_value(vm)?;
        let x = function(x.into_float());
        if x.is_nan() {
            return Err(vm.new_value_error("cannot convert float NaN to integer"));
        }
        if x.is_infinite() {
            return Err(vm.new_overflow_error("cannot convert float infinity to integer"));
        }
        vm.call_method(vm.ctx.new_float(x).as_object(), "__int__", ())
    }

    #[pyfunction]
    fn floor(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        rounded(x, "__floor__", f64::floor, vm)
    }

    #[pyfunction]
    fn ceil(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        rounded(x, "__ceil__", f64::ceil, vm)
    }

    #[pyfunction]
    fn trunc(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        rounded(x, "__trunc__", f64::trunc, vm)
    }

    #[pyfunction]
    fn gcd(args: PosArgs<PyIntRef>, vm: &VirtualMachine) -> PyResult<BigInt> {
        let mut divisor = BigInt::zero();
        for int in integers(args) {
            check_divisor(&divisor, &int, "gcd", vm)?;
            divisor = divisor.gcd(&int);
        }
        Ok(divisor)
    }

    /// The most bits of the smaller of two integers whose common divisor is asked for.
    const MOST_DIVISOR_BITS: u64 = 1 << 16;

    /// The steps of a common divisor grow as the square of the smaller integer's digits.
    fn check_divisor(a: &BigInt, b: &BigInt, function: &str, vm: &VirtualMachine) -> PyResult<()> {
        let bits = a.bits().min(b.bits());
        if bits > MOST_DIVISOR_BITS {
            return Err(vm.new_memory_error(format!(
                "{function}: two integers of more than {bits} bits take too long in one call; the smaller one may have {MOST_DIVISOR_BITS}"
            )));
        }
        Ok(())
    }

    #[pyfunction]
    fn lcm(args: PosArgs<PyIntRef>, vm: &VirtualMachine) -> PyResult<BigInt> {
        let mut multiple = BigInt::one();
        for int in integers(args) {
            check_divisor(&multiple, &int, "lcm", vm)?;
            check_bits(multiple.bits().saturating_add(int.bits()), "lcm", vm)?;
            multiple = multiple.lcm(&int);
        }
        Ok(multiple)
    }

    #[pyfunction]
    fn isqrt(n: PyIntRef, vm: &VirtualMachine) -> PyResult<BigInt> {
        let n = n.as_bigint();
        if n.is_negative() {
            return Err(vm.new_value_error("isqrt() argument must be nonnegative"));
        }
        let (bits, most) = (n.bits(), MOST_DIVIDED / 2);
        if bits > most {
            return Err(vm.new_memory_error(format!(
                "isqrt: an integer of {bits} bits takes too long in one call; it may have {most}"
            )));
        }
        Ok(n.sqrt())
    }

    #[pyfunction]
    fn factorial(n: PyIntRef, vm: &VirtualMachine) -> PyResult<BigInt> {
        let n = n.as_bigint();
        if n.is_negative() {
            return Err(vm.new_value_error("factorial() not defined for negative values"));
        }
        let n = n.to_u64().unwrap_or(u64::MAX);
        check_bits(
            n.saturating_mul(u64::from(n.max(2).ilog2())),
            "factorial",
            vm,
        )?;
        product(2, n, vm)
    }

    /// The product of `first..=last`, halved again and again so that factors are of like size.
    fn product(first: u64, last: u64, vm: &VirtualMachine) -> PyResult<BigInt> {
        tick::tick(vm)?;
        if first > last {
            return Ok(BigInt::one());
        }
        if last - first < 16 {
            return Ok((first..=last).fold(BigInt::one(), |product, factor| product * factor));
        }
        let middle = first + (last - first) / 2;
        Ok(product(first, middle, vm)? * product(middle + 1, last, vm)?)
    }

    #[pyfunction]
    fn perm(n: PyIntRef, k: OptionalArg<PyIntRef>, vm: &VirtualMachine) -> PyResult<BigInt> {
        let OptionalArg::Present(k) = k else {
            return factorial(n, vm);
        };
        let (n, k) = counts("perm", &n, &k, vm)?;
        if k > n {
            return Ok(BigInt::zero());
        }
        check_bits(k.saturating_mul(u64::from(n.max(2).ilog2())), "perm", vm)?;
        product(n - k + 1, n, vm)
    }

    #[pyfunction]
    fn comb(n: PyIntRef, k: PyIntRef, vm: &VirtualMachine) -> PyResult<BigInt> {
        let (n, k) = counts("comb", &n, &k, vm)?;
        if k > n {
            return Ok(BigInt::zero());
        }
        let k = k.min(n - k);
        check_bits(k.saturating_mul(u64::from(n.max(2).ilog2())), "comb", vm)?;
        Ok(product(n - k + 1, n, vm)? / product(2, k, vm)?)
    }

    fn counts(
        function: &str,
        n: &Py<PyInt>,
        k: &Py<PyInt>,
        vm: &VirtualMachine,
    ) -> PyResult<(u64, u64)> {
        let count = |int: &Py<PyInt>| {
            if int.as_bigint().is_negative() {
                return Err(vm.new_value_error(format!(
                    "{function}: got {}, expected a non-negative integer",
                    int.as_bigint()
                )));
            }
            Ok(int.as_bigint().to_u64().unwrap_or(u64::MAX - 1))
        };
        Ok((count(n)?, count(k)?))
    }

    #[derive(rustpython_vm::FromArgs)]
    struct ProdArgs {
        #[pyarg(positional)]
        values: PyObjectRef,
        #[pyarg(named, optional)]
        start: OptionalArg<PyObjectRef>,
    }

    #[pyfunction]
    fn prod(args: ProdArgs, vm: &VirtualMachine) -> PyResult {
        let mut product = args.start.unwrap_or_else(|| vm.ctx.new_int(1).into());
        for value in args.values.get_iter(vm)?.iter::<PyObjectRef>(vm)? {
            let value = value?;
            product = vm._mul(&product, &value)?;
        }
        Ok(product)
    }
}
