//! Where a number that changes from step to step jumps.

/// How many steps a number is watched before a change of it is unusual.
const WATCHED: u32 = 8;
/// A jump is so many times the change that is usual, and at least this share of the number.
const TIMES: f64 = 6.0;
const SHARE: f64 = 0.1;
/// The usual change is the mean of about so many.
const MEAN_OF: f64 = 8.0;

/// What is remembered of a number.
#[derive(Default)]
pub(super) struct Jumps {
    last: Option<f64>,
    usual: f64,
    n: u32,
}

impl Jumps {
    /// Takes the number of the next step; whether it jumped: changed as it had not before, or stopped or began to
    /// be finite.
    pub(super) fn take(&mut self, number: f64) -> bool {
        let Some(last) = self.last.replace(number) else {
            return false;
        };
        if !(number.is_finite() && last.is_finite()) {
            return number.is_finite() != last.is_finite();
        }
        let change = (number - last).abs();
        self.n += 1;
        let is_jump =
            self.n > WATCHED && change > TIMES * self.usual && change > SHARE * last.abs();
        self.usual += (change - self.usual) / MEAN_OF.min(f64::from(self.n));
        is_jump
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jumps(numbers: impl IntoIterator<Item = f64>) -> Vec<usize> {
        let mut jumps = Jumps::default();
        let numbers = numbers.into_iter().enumerate();
        let jumped = numbers.filter_map(|(at, number)| jumps.take(number).then_some(at));
        jumped.collect()
    }

    #[test]
    fn what_falls_evenly_or_trembles_does_not_jump() {
        assert!(jumps((0..200).map(|i| 3.0 * 0.97_f64.powi(i))).is_empty());
        assert!(jumps((0..200).map(|i| 1.0 + 0.1 * f64::from(i * 7919 % 13))).is_empty());
        assert!(jumps([0.0; 50]).is_empty());
    }

    #[test]
    fn a_spike_jumps_up_and_down_and_what_ceases_to_be_finite_jumps_once() {
        let spike = (0..40).map(|i| {
            if i == 20 {
                9.0
            } else {
                1.0 + 0.01 * f64::from(i % 3)
            }
        });
        assert_eq!(jumps(spike).first(), Some(&20));
        let broken = (0..40).map(|i| {
            if i < 25 {
                1.0 / f64::from(i + 1)
            } else {
                f64::NAN
            }
        });
        assert_eq!(jumps(broken), [25]);
    }
}
