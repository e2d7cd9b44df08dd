//! What a run recorded.

use glowgrad_tensor::{Error, Result};
use serde_json::{Map, Value, json};

/// What a run recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The epochs that have ended.
    pub epochs: Vec<Epoch>,
    /// The loss of each step.
    pub losses: Vec<f64>,
}

/// An epoch that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Epoch {
    /// Its number, counted from 1.
    pub epoch: usize,
    /// Steps of all epochs so far.
    pub step: usize,
    /// The mean loss of its steps.
    pub loss: f64,
    /// The learning rate at its end.
    pub lr: f64,
    /// What validation found: the loss and the metrics, by name.
    pub validation: Vec<(String, f64)>,
    /// How long it took.
    pub seconds: f64,
}

impl Epoch {
    /// What validation found of that name.
    pub fn validation(&self, name: &str) -> Option<f64> {
        let found = self.validation.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| *value)
    }

    pub(super) fn to_json(&self) -> Value {
        let mut row = json!({
            "epoch": self.epoch, "step": self.step, "loss": self.loss, "lr": self.lr, "seconds": self.seconds,
        });
        for (name, value) in &self.validation {
            row[format!("{VALIDATION}{name}")] = json!(value);
        }
        row
    }

    fn from_json(row: &Map<String, Value>) -> Option<Epoch> {
        let whole = |name: &str| usize::try_from(row.get(name)?.as_u64()?).ok();
        let validation = row.iter().filter_map(|(name, value)| {
            Some((name.strip_prefix(VALIDATION)?.to_owned(), value.as_f64()?))
        });
        Some(Epoch {
            epoch: whole("epoch")?,
            step: whole("step")?,
            loss: row.get("loss")?.as_f64()?,
            lr: row.get("lr")?.as_f64()?,
            validation: validation.collect(),
            seconds: row.get("seconds")?.as_f64()?,
        })
    }

    pub(super) fn all_from_json(rows: &Value) -> Result<Vec<Epoch>> {
        let row = |row: &Value| row.as_object().and_then(Epoch::from_json);
        let rows = rows.as_array().map_or(&[][..], Vec::as_slice);
        let read: Option<Vec<Epoch>> = rows.iter().map(row).collect();
        read.ok_or_else(|| Error::value("the checkpoint's epochs are in another form; expected epoch, step, loss, lr, seconds"))
    }
}

/// What stands before the name of a number that validation found.
const VALIDATION: &str = "validation ";
