//! Training as a job: epochs, validation, metrics, checkpoints, and going on where a run was interrupted.
//!
//! Checkpoints are those of Python's `glowgrad.training`: a run that was begun there goes on here.
//!
//! ```
//! use glowgrad_nn::data::DataLoader;
//! use glowgrad_nn::nn::{Linear, Parts, functional};
//! use glowgrad_nn::optim::{SGD, SGDOptions};
//! use glowgrad_nn::training::Trainer;
//! # use glowgrad_tensor::{Engine, Tensor};
//! # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
//! # engine.generator().manual_seed(0);
//! let x = Tensor::from_f32(&engine, &[0.0, 1.0, 2.0, 3.0], &[4, 1])?;
//! let y = Tensor::from_f32(&engine, &[1.0, 3.0, 5.0, 7.0], &[4, 1])?;
//! let model = Linear::new(&engine, 1, 1)?;
//! let optimizer = SGD::new(model.parameters(), SGDOptions { lr: 0.1, ..Default::default() });
//! let mut trainer = Trainer::new(&model, optimizer, functional::mse_loss);
//! let history = trainer.fit(&DataLoader::new(vec![x, y], 2)?.shuffle(true), 20, None)?;
//! assert!(history.epochs[19].loss < 0.05);
//! # Ok::<(), glowgrad_tensor::Error>(())
//! ```

mod checkpoint;
mod history;
mod progress;
mod trainer;

pub use checkpoint::Checkpoint;
pub use history::{Epoch, History};
pub use trainer::{Now, Trainer};
