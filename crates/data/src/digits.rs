//! The optical digits of Alpaydin and Kaynak (UCI, CC BY 4.0): 1,797 real handwritten digits.
//!
//! `digits.bin` is the rows of scikit-learn's `digits.csv.gz`, one byte per number; see
//! `digits/ATTRIBUTION.md`. The order of the rows is scikit-learn's, so that a seeded split picks
//! the same images here and in PyTorch.

/// The packed rows: 64 pixels, then the label.
static ROWS: &[u8] = include_bytes!("../digits/digits.bin");

const N_PIXELS: usize = Digits::SIDE * Digits::SIDE;
const ROW_BYTES: usize = N_PIXELS + 1;

/// A view of the digits: images of 8×8 pixels from 0 (paper) to 16 (ink), and their labels.
#[derive(Debug, Clone, Copy)]
pub struct Digits {
    rows: &'static [u8],
}

/// The 1,797 digits, in scikit-learn's order. Free: the rows are in the binary.
///
/// ```
/// let digits = glowgrad_data::digits();
/// assert_eq!(digits.len(), 1797);
/// assert_eq!(digits.labels().take(3).collect::<Vec<_>>(), [0, 1, 2]);
/// assert_eq!(digits.images().next().unwrap()[..8], [0, 0, 5, 13, 9, 1, 0, 0]);
/// ```
pub fn digits() -> Digits {
    Digits { rows: ROWS }
}

impl Digits {
    /// Pixels along one side of an image.
    pub const SIDE: usize = 8;
    /// The value of a pixel that is all ink.
    pub const MAX: u8 = 16;
    /// How many different labels there are.
    pub const N_CLASSES: usize = 10;

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.rows.len() / ROW_BYTES
    }

    /// Whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The images, each 64 pixels in row-major order.
    pub fn images(&self) -> impl ExactSizeIterator<Item = &'static [u8]> + use<> {
        self.rows
            .as_chunks::<ROW_BYTES>()
            .0
            .iter()
            .map(|row| &row[..N_PIXELS])
    }

    /// The digit written in each image, 0 to 9.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = u8> + use<> {
        self.rows
            .as_chunks::<ROW_BYTES>()
            .0
            .iter()
            .map(|row| row[N_PIXELS])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole() {
        assert_eq!(ROWS.len(), 1797 * ROW_BYTES);
        assert_eq!(digits().len(), 1797);
        assert_eq!(digits().images().len(), digits().labels().len());
        assert!(digits().images().all(|image| image.len() == 64));
    }

    #[test]
    fn pixels_and_labels_are_in_range() {
        assert!(
            digits()
                .images()
                .flatten()
                .all(|&pixel| pixel <= Digits::MAX)
        );
        assert!(
            digits()
                .labels()
                .all(|label| usize::from(label) < Digits::N_CLASSES)
        );
        assert!(digits().images().flatten().any(|&p| p == Digits::MAX));
    }

    /// The counts scikit-learn documents: `numpy.bincount(load_digits().target)`.
    #[test]
    fn classes_are_as_many_as_in_scikit_learn() {
        let mut counts = [0; Digits::N_CLASSES];
        for label in digits().labels() {
            counts[usize::from(label)] += 1;
        }
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    }

    /// `load_digits().data.sum()` is 561718.
    #[test]
    fn all_the_ink_is_there() {
        let ink: u32 = digits().images().flatten().map(|&p| u32::from(p)).sum();
        assert_eq!(ink, 561_718);
    }
}
