//! What a session computes on: what there is, what tensors are made on, and opening it.

#[cfg(feature = "python")]
use std::cell::Cell;
#[cfg(feature = "python")]
use std::rc::Rc;

use glowgrad::graph::Opened;
use glowgrad::{Engine, Error};

#[cfg(feature = "python")]
use super::Emit;
#[cfg(feature = "python")]
use super::{ErrorInfo, engine_error};
use super::{Platform, Session};
use crate::protocol::{DeviceInfo, Event};

/// Has tensors made on a device of this name, which is opened if it has not been.
pub(super) fn use_device(
    engine: &Engine,
    platform: &dyn Platform,
    kind: &str,
) -> glowgrad::Result<()> {
    if let Some(device) = engine.find_device(kind) {
        engine.set_device(device);
        return Ok(());
    }
    let opened = platform.open_device(kind).unwrap_or_else(|| {
        let here: Vec<String> = known(engine, platform)
            .into_iter()
            .map(|d| d.name)
            .collect();
        Err(Error::not_implemented(format!(
            "unknown device {kind:?}: there is {} here",
            here.join(", ")
        )))
    });
    match opened? {
        Opened::Device(backend) => engine.set_device(engine.add_device(backend)?),
        Opened::Instead(why) => return Err(Error::not_implemented(why)),
    };
    Ok(())
}

/// The one device of a build without Python.
#[cfg(not(feature = "python"))]
fn known(engine: &Engine, _: &dyn Platform) -> Vec<DeviceInfo> {
    let device = engine.device();
    vec![DeviceInfo {
        name: engine.device_kind(device).to_string(),
        label: engine.device_name(device),
        note: None,
    }]
}

/// What is open, then what could be.
#[cfg(feature = "python")]
fn known(engine: &Engine, platform: &dyn Platform) -> Vec<DeviceInfo> {
    let offered = platform.devices();
    let note = |name: &str| {
        let offer = offered.iter().find(|offer| offer.name == name);
        offer.and_then(|offer| offer.note.clone())
    };
    let mut devices: Vec<DeviceInfo> = engine
        .devices()
        .into_iter()
        .map(|device| {
            let name = engine.device_kind(device).to_string();
            DeviceInfo {
                label: engine.device_name(device),
                note: note(&name),
                name,
            }
        })
        .collect();
    for offer in &offered {
        if devices.iter().all(|device| device.name != offer.name) {
            devices.push(offer.clone());
        }
    }
    devices
}

/// What can compute here, and what does.
pub(super) fn event(engine: &Engine, platform: &dyn Platform) -> Event {
    Event::Devices {
        devices: known(engine, platform),
        current: engine.device_kind(engine.device()).to_string(),
    }
}

/// Has the running command tell of what takes a device long.
#[cfg(feature = "python")]
pub(super) fn tell_progress(engine: &Engine, emit: &Emit, running: &Rc<Cell<u32>>) {
    let (emit, running) = (emit.clone(), running.clone());
    engine.watch_devices(Rc::new(move |label, done, total| {
        emit(Event::Progress {
            id: running.get(),
            label: label.to_owned(),
            done: done as f64,
            total: total as f64,
        });
    }));
}

impl Session {
    /// Has tensors made on another device from now on.
    #[cfg(feature = "python")]
    pub(super) fn set_device(&self, kind: &str) -> Result<(), ErrorInfo> {
        use_device(&self.engine, &*self.platform, kind).map_err(engine_error)
    }

    /// Tells what computes, if that is no longer what was told.
    pub(super) fn tell_devices(&self) {
        let now = (self.engine.devices().len(), self.engine.device());
        if self.told.replace(now) != now {
            (self.emit)(event(&self.engine, &*self.platform));
        }
    }
}
