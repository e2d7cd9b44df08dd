//! Each number goes to the nearest word that it can belong to.
//!
//! A unit has a side on which its number usually stands (`10 classes`, `dropout 0.3`); a comma, an "and" and each word
//! between make the way longer. Of several numbers in a row, one that stands just before "classes" or its like belongs to
//! it, and the others to the word before them.

use super::items::What;
use super::read::Reader;
use super::slots::{Slot, Value};
use super::tokens::Number;
use super::units::Unit;
use super::words::Meaning;

/// What numbers can belong to.
#[derive(Clone, Copy)]
struct NumberOwner {
    /// The item.
    at: usize,
    /// How far it is.
    far: usize,
    /// What the numbers are.
    slot: Slot,
    /// Whether it takes several.
    many: bool,
    /// Whether its numbers usually stand on this side.
    is_usual: bool,
    /// Whether it is a unit, not the name of a network.
    is_unit: bool,
}

impl Reader<'_> {
    /// Gives all numbers to their words.
    pub(super) fn numbers(&mut self) {
        // Per item: whether a number before it, and one after it, is its own.
        let mut bound = vec![(false, false); self.items.len()];
        let mut at = 0;
        while at < self.items.len() {
            if self.items[at].is_used {
                at += 1;
                continue;
            }
            match &self.items[at].what {
                What::Number(_) => {
                    let group = self.group(at);
                    at = group.last().map_or(at, |last| last + 1);
                    self.group_of(&group, &mut bound);
                }
                What::Product(all) => {
                    let all = all.clone();
                    self.product(at, &all, &mut bound);
                    at += 1;
                }
                What::Chain(all) => {
                    let (all, start, end) = (all.clone(), self.items[at].start, self.items[at].end);
                    if all.len() <= 66 && all.iter().all(|&n| (1..=1_000_000).contains(&n)) {
                        self.items[at].is_used = true;
                        self.understand(start, end, Slot::Chain.name());
                        self.tell(Slot::Chain, Value::Sizes(all), start, end);
                    }
                    at += 1;
                }
                _ => at += 1,
            }
        }
        // A unit with its number is understood; it says nothing more.
        for (i, (before, after)) in bound.into_iter().enumerate() {
            if before || after {
                self.items[i].is_used |=
                    matches!(self.items[i].what, What::Phrase(Meaning::Unit(_)));
            }
        }
    }

    /// Numbers in a row, with commas and "and" between them.
    fn group(&self, at: usize) -> Vec<usize> {
        let mut group = vec![at];
        let mut next = at + 1;
        let mut gap = 0;
        while next < self.items.len() && gap < 3 {
            let item = &self.items[next];
            match &item.what {
                What::Number(_) if !item.is_used => {
                    group.push(next);
                    gap = 0;
                }
                What::Mark(',' | '/') | What::Phrase(Meaning::And | Meaning::Then) => gap += 1,
                _ => break,
            }
            next += 1;
        }
        group
    }

    fn is_before_number(&self, unit: &Unit, is_after: bool) -> Option<(Slot, bool)> {
        if is_after {
            unit.after.map(|slot| {
                (
                    slot,
                    !unit.prefers_before || (unit.many && unit.before != unit.after),
                )
            })
        } else {
            unit.before.map(|slot| (slot, unit.prefers_before))
        }
    }

    /// The word before a number.
    fn left(&self, start: usize, bound: &[(bool, bool)]) -> Option<NumberOwner> {
        let mut far = 0;
        let mut at = start;
        while at > 0 {
            at -= 1;
            let item = &self.items[at];
            match &item.what {
                What::Phrase(Meaning::Unit(unit)) => {
                    let is_taken = bound[at].1 || (bound[at].0 && unit.before == unit.after);
                    let (slot, is_usual) = self.is_before_number(unit, true)?;
                    if is_taken || item.is_negated {
                        return None;
                    }
                    return Some(NumberOwner {
                        at,
                        far,
                        slot,
                        many: unit.many,
                        is_usual,
                        is_unit: true,
                    });
                }
                What::Phrase(Meaning::Filler) => far += 1,
                What::Phrase(Meaning::Is(slot, name)) if !bound[at].1 => {
                    let slot = match (slot, *name) {
                        (Slot::Family, "ResNet" | "VGG") if far == 0 => Slot::Depth,
                        (Slot::Family, "LSTM" | "GRU" | "RNN" | "MLP" | "Transformer" | "GPT") => {
                            Slot::Sizes
                        }
                        (Slot::Family, "CNN") => Slot::Channels,
                        (Slot::Family, "autoencoder" | "VAE") => Slot::Bottleneck,
                        (Slot::Optimizer, _) => Slot::Rate,
                        (Slot::Norm, "GroupNorm") => Slot::Groups,
                        (Slot::Activation, "LeakyReLU") => Slot::Slope,
                        _ => {
                            far += 2;
                            continue;
                        }
                    };
                    return Some(NumberOwner {
                        at,
                        far,
                        slot,
                        many: matches!(slot, Slot::Sizes | Slot::Channels),
                        is_usual: far == 0 || slot == Slot::Sizes,
                        is_unit: false,
                    });
                }
                What::Phrase(Meaning::And) => far += 2,
                What::Phrase(Meaning::Layer("Linear")) => {
                    return Some(NumberOwner {
                        at,
                        far,
                        slot: Slot::DenseSizes,
                        many: true,
                        is_usual: true,
                        is_unit: false,
                    });
                }
                What::Phrase(Meaning::Layer(name)) if is_conv(name) => {
                    return Some(NumberOwner {
                        at,
                        far,
                        slot: Slot::Channels,
                        many: true,
                        is_usual: true,
                        is_unit: false,
                    });
                }
                What::Phrase(_) => far += 2,
                What::Mark(',') => far += 3,
                What::Mark('(' | ':' | '=' | '~' | '×' | '[') => {}
                _ => return None,
            }
            if far > 4 {
                return None;
            }
        }
        None
    }

    /// The word after a number.
    fn right(&self, end: usize, bound: &[(bool, bool)]) -> Option<NumberOwner> {
        let mut far = 0;
        for (at, item) in self.items.iter().enumerate().skip(end + 1) {
            match &item.what {
                What::Phrase(Meaning::Unit(unit)) => {
                    let (slot, is_usual) = self.is_before_number(unit, false)?;
                    let is_taken = bound[at].0 || (bound[at].1 && unit.before == unit.after);
                    return (!is_taken && !item.is_negated).then_some(NumberOwner {
                        at,
                        far,
                        slot,
                        many: unit.many && unit.before == unit.after,
                        is_usual,
                        is_unit: true,
                    });
                }
                What::Phrase(Meaning::Filler) => far += 1,
                What::Phrase(Meaning::And) => far += 3,
                What::Phrase(Meaning::Not | Meaning::Then) => return None,
                What::Phrase(Meaning::Layer("Linear")) => {
                    return Some(NumberOwner {
                        at,
                        far,
                        slot: Slot::DenseSizes,
                        many: true,
                        is_usual: false,
                        is_unit: false,
                    });
                }
                What::Phrase(_) => far += 2,
                What::Mark(',') => far += 4,
                What::Mark('×') => {}
                _ => return None,
            }
            if far > 5 {
                return None;
            }
        }
        None
    }

    fn fits(&self, slot: Slot, number: &Number) -> bool {
        let (_, least, most) = slot.facts();
        let value = share(slot, number);
        (least..=most).contains(&value) && (slot.is_fraction() || value.fract() == 0.0)
    }

    fn group_of(&mut self, group: &[usize], bound: &mut [(bool, bool)]) {
        let numbers: Vec<Number> = group
            .iter()
            .filter_map(|&at| self.items[at].number().cloned())
            .collect();
        let (Some(&first), Some(&last)) = (group.first(), group.last()) else {
            return;
        };
        let left = self.left(first, bound);
        let right = self.right(last, bound);
        let n = group.len();
        // Whether a comma or an "and" parts the last number from the one before it.
        let is_parted = n > 1 && group[n - 1] - group[n - 2] > 1;
        let (to_left, to_right) = match (left, right) {
            (None, None) => (0, 0),
            (Some(_), None) => (n, 0),
            (None, Some(_)) => (0, n),
            (Some(left), Some(right)) if n == 1 => {
                if self.goes_left(&left, &right, &numbers[0]) {
                    (1, 0)
                } else {
                    (0, 1)
                }
            }
            (Some(left), Some(right)) => {
                let is_last_counted =
                    right.is_unit && right.is_usual && right.far == 0 && !right.many;
                if left.many && right.many {
                    if left.far <= 2 && left.is_unit {
                        (n, 0)
                    } else {
                        (0, n)
                    }
                } else if left.many && is_last_counted && (is_parted || left.far > 2) {
                    (n - 1, 1)
                } else if left.many {
                    (n, 0)
                } else if right.many
                    && left.far <= 2
                    && self.fits(left.slot, &numbers[0])
                    && left.is_unit
                {
                    (1, n - 1)
                } else if right.many {
                    (0, n)
                } else {
                    (1, n - 1)
                }
            }
        };
        if let Some(left) = left.filter(|_| to_left > 0) {
            let taken = if left.many { to_left } else { 1 };
            let is_alone = !left.is_unit || bound[left.at].0;
            bound[left.at].1 = true;
            self.give(&left, &group[..taken], &numbers[..taken], true, is_alone);
            // A noun after the numbers, "units", says no more than they do.
            if let Some(right) = right.filter(|right| right.far == 0 && to_right == 0)
                && matches!(
                    right.slot,
                    Slot::Sizes | Slot::Length | Slot::Channels | Slot::Features
                )
                && right.is_unit
            {
                bound[right.at].0 = true;
            }
        }
        if let Some(right) = right.filter(|_| to_right > 0) {
            let taken = if right.many { to_right } else { 1 };
            let is_alone = !right.is_unit || bound[right.at].1;
            bound[right.at].0 = true;
            self.give(
                &right,
                &group[n - taken..],
                &numbers[n - taken..],
                false,
                is_alone,
            );
        }
    }

    /// Whether one number between two words belongs to the first.
    fn goes_left(&self, left: &NumberOwner, right: &NumberOwner, number: &Number) -> bool {
        let (fits_left, fits_right) = (self.fits(left.slot, number), self.fits(right.slot, number));
        if fits_left != fits_right {
            return fits_left;
        }
        if !left.is_unit && right.is_unit && right.is_usual && left.slot != Slot::Depth {
            return false;
        }
        // "a vocabulary of 65 characters", "a bottleneck of 2 units".
        let is_noun = matches!(right.slot, Slot::Sizes | Slot::Length | Slot::Channels);
        if left.is_unit && left.is_usual && left.far <= 1 && (is_noun || !right.is_usual) {
            return true;
        }
        let cost = |place: &NumberOwner| 2 * place.far + if place.is_usual { 0 } else { 3 };
        match cost(left).cmp(&cost(right)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => !(right.is_usual && right.far == 0 && left.far > 0),
        }
    }

    /// Gives numbers to a word.
    ///
    /// The word is told with them, unless it is told otherwise already.
    fn give(
        &mut self,
        place: &NumberOwner,
        group: &[usize],
        numbers: &[Number],
        is_left: bool,
        is_alone: bool,
    ) {
        let word = self.items[place.at].clone();
        let (first, last) = (group[0], group[group.len() - 1]);
        // Other words between a number and its word are told on their own.
        let between = if is_left {
            place.at + 1..first
        } else {
            last + 1..place.at
        };
        let is_apart = self.items[between].iter().any(|item| {
            matches!(item.what, What::Phrase(meaning) if !matches!(meaning, Meaning::Filler | Meaning::And))
        });
        let (start, end) = if is_alone || is_apart {
            (self.items[first].start, self.items[last].end)
        } else if is_left {
            (word.start, self.items[last].end)
        } else {
            (self.items[first].start, word.end)
        };
        // The bracket that closes after the last number.
        let close = self.items.get(last + 1).filter(|item| {
            matches!(item.what, What::Mark(')' | ']'))
                && end <= item.start
                && self.text[start..end].contains(['(', '['])
        });
        let end = close.map_or(end, |item| item.end);
        let mut slot = place.slot;
        for &at in group {
            self.items[at].is_used = true;
        }
        // "3 channels" are those of an image.
        if slot == Slot::Channels
            && numbers.len() == 1
            && !is_left
            && matches!(numbers[0].whole(), Some(1 | 3))
            && self.text[word.start..word.end]
                .to_lowercase()
                .starts_with("channel")
        {
            slot = Slot::ImageChannels;
        }
        if let Some(bad) = numbers.iter().find(|number| !self.fits(slot, number)) {
            let (name, least, most) = slot.facts();
            let kind = if slot.is_fraction() {
                "lies between"
            } else {
                "is a whole number from"
            };
            let joint = if slot.is_fraction() { "and" } else { "to" };
            let digits = bad.digits.clone();
            self.doubt(
                start,
                end,
                format!("{name} {kind} {least} {joint} {most}, and {digits} is left out"),
            );
            return;
        }
        if numbers.len() > 64 {
            self.doubt(start, end, "more than 64 sizes; they are left out");
            return;
        }
        let value = if place.many && is_listed(slot) {
            Value::Sizes(numbers.iter().filter_map(Number::whole).collect())
        } else {
            let value = share(slot, &numbers[0]);
            if value != numbers[0].value {
                self.request.assume(format!(
                    "“{}” is read as {} %.",
                    &self.text[start..end],
                    numbers[0].digits
                ));
            }
            Value::Number(value)
        };
        if place.is_unit || slot != Slot::Depth {
            self.understand(start, end, format!("{}: {value}", slot.name()));
        } else {
            self.understand(start, end, format!("{value} in the network's name"));
        }
        self.tell(slot, value, start, end);
        // "two numbers" are to be found, and are no classes.
        let lower = self.text[word.start..word.end].to_lowercase();
        if slot == Slot::Outputs
            && ["number", "value"].iter().any(|one| lower.starts_with(one))
            && !self.request.has(Slot::Task)
        {
            self.tell(Slot::Task, Value::Name("regress"), start, end);
        }
    }

    /// What 3×3, 64×64 or 2×128 is, by the word beside it.
    fn product(&mut self, at: usize, all: &[u64], bound: &mut [(bool, bool)]) {
        let near = |at: usize| self.items.get(at).and_then(super::items::Item::meaning);
        let mut beside: Vec<(usize, Meaning)> = Vec::new();
        let mut i = at + 1;
        while let Some(meaning) = near(i) {
            if !matches!(meaning, Meaning::Filler) {
                beside.push((i, meaning));
                break;
            }
            i += 1;
        }
        let mut i = at;
        while i > 0 {
            i -= 1;
            match (&self.items[i].what, near(i)) {
                (_, Some(Meaning::Filler)) | (What::Mark('(' | ':' | '='), _) => {}
                (_, Some(meaning)) => {
                    beside.push((i, meaning));
                    break;
                }
                _ => break,
            }
        }
        let (start, end) = (self.items[at].start, self.items[at].end);
        let is_image = |h: u64, w: u64| (4..=2048).contains(&h) && (4..=2048).contains(&w);
        let found = beside.iter().find_map(|(i, meaning)| {
            let slot = match meaning {
                Meaning::Unit(unit) => match unit.slot() {
                    Slot::Kernel | Slot::ConvLayers | Slot::Channels => Slot::Kernel,
                    Slot::Patch => Slot::Patch,
                    Slot::Stride => Slot::Stride,
                    Slot::Padding => Slot::Padding,
                    Slot::Features => Slot::ImageSize,
                    Slot::Sizes | Slot::Layers | Slot::HiddenLayers | Slot::Width => Slot::Layers,
                    _ => return None,
                },
                Meaning::Layer(name) if is_conv(name) => Slot::Kernel,
                Meaning::Is(Slot::Pool, _) => Slot::Pool,
                Meaning::Is(
                    Slot::Family,
                    "LSTM" | "GRU" | "RNN" | "MLP" | "Transformer" | "GPT",
                ) => Slot::Layers,
                Meaning::Is(Slot::Kind, "images") => Slot::ImageSize,
                Meaning::Says(facts) => match facts[0] {
                    (Slot::ImageChannels, _) => Slot::ImageSize,
                    (Slot::Family, _) if facts[1].0 == Slot::Bidirectional => Slot::Layers,
                    (Slot::Bidirectional, _) => Slot::Layers,
                    _ => return None,
                },
                _ => return None,
            };
            Some((*i, slot))
        });
        let (word, slot) = match (found, all) {
            (Some((word, slot)), [_, _]) => (Some(word), slot),
            (_, &[a, b]) if a == b && (1..=7).contains(&a) => (None, Slot::Kernel),
            (_, &[a, b]) if is_image(a, b) && a >= 8 => (None, Slot::ImageSize),
            (_, &[a, b]) if a <= 12 && b > a => (None, Slot::Layers),
            _ => (None, Slot::ImageSize),
        };
        let said = match (slot, all) {
            (Slot::Kernel, &[a, b]) if a == b && (1..=31).contains(&a) => {
                vec![(Slot::Kernel, Value::Number(a as f64))]
            }
            (Slot::Patch, &[a, b]) if a == b && (1..=256).contains(&a) => {
                vec![(Slot::Patch, Value::Number(a as f64))]
            }
            (Slot::Stride, &[a, b]) if a == b && (1..=16).contains(&a) => {
                vec![(Slot::Stride, Value::Number(a as f64))]
            }
            (Slot::Padding, &[a, b]) if a == b && a <= 15 => {
                vec![(Slot::Padding, Value::Number(a as f64))]
            }
            // A pool of 2 by 2 is the one that there is.
            (Slot::Pool, &[2, 2]) => Vec::new(),
            (Slot::Layers, &[a, b]) if (1..=64).contains(&a) && (1..=65_536).contains(&b) => vec![
                (Slot::Layers, Value::Number(a as f64)),
                (Slot::Width, Value::Number(b as f64)),
            ],
            (Slot::ImageSize, &[h, w]) if is_image(h, w) => {
                vec![(Slot::ImageSize, Value::Sizes(vec![h, w]))]
            }
            (Slot::ImageSize, &[c, h, w])
                if is_image(h, w) && c <= 4096 && (c <= 4 || w > 4) && c > 0 =>
            {
                vec![
                    (Slot::ImageChannels, Value::Number(c as f64)),
                    (Slot::ImageSize, Value::Sizes(vec![h, w])),
                ]
            }
            (Slot::ImageSize, &[h, w, c]) if is_image(h, w) && (1..=4).contains(&c) => vec![
                (Slot::ImageChannels, Value::Number(c as f64)),
                (Slot::ImageSize, Value::Sizes(vec![h, w])),
            ],
            _ => return,
        };
        self.items[at].is_used = true;
        if let Some(word) = word
            && slot != Slot::Pool
        {
            bound[word] = (true, true);
        }
        let meanings: Vec<String> = said
            .iter()
            .map(|(slot, value)| format!("{}: {value}", slot.name()))
            .collect();
        let meaning = if meanings.is_empty() {
            "a pool of 2 by 2".to_owned()
        } else {
            meanings.join("; ")
        };
        self.understand(start, end, meaning);
        for (slot, value) in said {
            self.tell(slot, value, start, end);
        }
    }
}

/// Whether a layer is a convolution that says what kind of network it is.
pub(super) fn is_conv(name: &str) -> bool {
    matches!(name, "Conv" | "Conv1d" | "Conv2d" | "Conv3d")
}

/// Whether a slot holds several sizes.
fn is_listed(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Hidden | Slot::Sizes | Slot::Channels | Slot::DenseSizes
    )
}

/// A number as its slot has it: dropout of 30 is 30 %.
fn share(slot: Slot, number: &Number) -> f64 {
    let is_share = slot == Slot::Dropout && !number.is_percent;
    if is_share && number.value > 1.0 && number.value <= 95.0 && number.value.fract() == 0.0 {
        number.value / 100.0
    } else {
        number.value
    }
}
