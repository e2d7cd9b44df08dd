//! MobileNetV2, made in glowgrad's studio.

use glowgrad::bind::call;
use glowgrad::nn::{
    BatchNorm2d,
    BatchNorm2dOptions,
    Conv2d,
    Conv2dOptions,
    Dropout,
    DropoutOptions,
    Linear,
    LinearOptions,
    Module,
    ReLU6,
    Sequential,
};
use glowgrad::{Engine, Result, Tensor, args};

/// A convolution, batch normalisation and ReLU6.
pub struct ConvNormActivation {
    pub conv: Conv2d,
    pub bn: BatchNorm2d,
    pub act: ReLU6,
}
glowgrad::parts!(ConvNormActivation: conv, bn, act);

impl ConvNormActivation {
    /// With weights drawn anew.
    pub fn new(
        engine: &Engine,
        n_in: usize,
        n_out: usize,
        size: usize,
        stride: usize,
        groups: usize,
    ) -> Result<ConvNormActivation> {
        Ok(ConvNormActivation {
            conv: Conv2dOptions::new(n_in, n_out, size)
                .stride(stride)
                .padding((size - 1) / 2)
                .groups(groups)
                .bias(false)
                .build(engine)?,
            bn: BatchNorm2dOptions::new(n_out).build(engine)?,
            act: ReLU6::new(),
        })
    }
}

impl Module for ConvNormActivation {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let conv = self.conv.forward(x)?;
        let bn = self.bn.forward(&conv)?;
        let act = self.act.forward(&bn)?;
        Ok(act)
    }
}

/// Filters each channel by itself, and narrows.
pub struct First {
    pub filter: ConvNormActivation,
    pub narrow: Conv2d,
    pub bn: BatchNorm2d,
}
glowgrad::parts!(First: filter, narrow, bn);

impl First {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, n_in: usize, n_out: usize) -> Result<First> {
        Ok(First {
            filter: ConvNormActivation::new(engine, n_in, n_in, 3, 1, n_in)?,
            narrow: Conv2dOptions::new(n_in, n_out, 1).bias(false).build(engine)?,
            bn: BatchNorm2dOptions::new(n_out).build(engine)?,
        })
    }
}

impl Module for First {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let filter = self.filter.forward(x)?;
        let narrow = self.narrow.forward(&filter)?;
        let bn = self.bn.forward(&narrow)?;
        Ok(bn)
    }
}

/// Widens each pixel, filters each channel by itself, and narrows again without a bend.
pub struct Inverted {
    pub widen: ConvNormActivation,
    pub filter: ConvNormActivation,
    pub narrow: Conv2d,
    pub bn: BatchNorm2d,
}
glowgrad::parts!(Inverted: widen, filter, narrow, bn);

impl Inverted {
    /// With weights drawn anew.
    pub fn new(
        engine: &Engine,
        n_in: usize,
        n_out: usize,
        stride: usize,
        expand: usize,
    ) -> Result<Inverted> {
        Ok(Inverted {
            widen: ConvNormActivation::new(engine, n_in, expand * n_in, 1, 1, 1)?,
            filter: ConvNormActivation::new(
                engine,
                expand * n_in,
                expand * n_in,
                3,
                stride,
                expand * n_in,
            )?,
            narrow: Conv2dOptions::new(expand * n_in, n_out, 1).bias(false).build(engine)?,
            bn: BatchNorm2dOptions::new(n_out).build(engine)?,
        })
    }
}

impl Module for Inverted {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let widen = self.widen.forward(x)?;
        let filter = self.filter.forward(&widen)?;
        let narrow = self.narrow.forward(&filter)?;
        let bn = self.bn.forward(&narrow)?;
        Ok(bn)
    }
}

/// An inverted block that adds its result to what it read.
pub struct Residual {
    pub inverted: Inverted,
}
glowgrad::parts!(Residual: inverted);

impl Residual {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, channels: usize) -> Result<Residual> {
        Ok(Residual {
            inverted: Inverted::new(engine, channels, channels, 1, 6)?,
        })
    }
}

impl Module for Residual {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let inverted = self.inverted.forward(x)?;
        let add = x.add(&inverted)?;
        Ok(add)
    }
}

/// Inverted residual blocks between two convolutions (Sandler and others, 2018), for images of 32 by 32.
pub struct MobileNetV2 {
    pub stem: ConvNormActivation,
    pub stage1: First,
    pub stage2: Sequential,
    pub stage3: Sequential,
    pub stage4: Sequential,
    pub stage5: Sequential,
    pub stage6: Sequential,
    pub stage7: Inverted,
    pub head: ConvNormActivation,
    pub dropout: Dropout,
    pub classifier: Linear,
}
glowgrad::parts!(
    MobileNetV2: stem,
    stage1,
    stage2,
    stage3,
    stage4,
    stage5,
    stage6,
    stage7,
    head,
    dropout,
    classifier,
);

impl MobileNetV2 {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<MobileNetV2> {
        Ok(MobileNetV2 {
            stem: ConvNormActivation::new(engine, 3, 32, 3, 1, 1)?,
            stage1: First::new(engine, 32, 16)?,
            stage2: Sequential::new()
                .then(Inverted::new(engine, 16, 24, 1, 6)?)
                .then(Residual::new(engine, 24)?),
            stage3: Sequential::new()
                .then(Inverted::new(engine, 24, 32, 2, 6)?)
                .then(Residual::new(engine, 32)?)
                .then(Residual::new(engine, 32)?),
            stage4: Sequential::new()
                .then(Inverted::new(engine, 32, 64, 2, 6)?)
                .then(Residual::new(engine, 64)?)
                .then(Residual::new(engine, 64)?)
                .then(Residual::new(engine, 64)?),
            stage5: Sequential::new()
                .then(Inverted::new(engine, 64, 96, 1, 6)?)
                .then(Residual::new(engine, 96)?)
                .then(Residual::new(engine, 96)?),
            stage6: Sequential::new()
                .then(Inverted::new(engine, 96, 160, 2, 6)?)
                .then(Residual::new(engine, 160)?)
                .then(Residual::new(engine, 160)?),
            stage7: Inverted::new(engine, 160, 320, 1, 6)?,
            head: ConvNormActivation::new(engine, 320, 1280, 1, 1, 1)?,
            dropout: DropoutOptions::new().p(0.2).build(engine)?,
            classifier: LinearOptions::new(1280usize, 10usize).build(engine)?,
        })
    }
}

impl Module for MobileNetV2 {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let stem = self.stem.forward(x)?;
        let stage1 = self.stage1.forward(&stem)?;
        let stage2 = self.stage2.forward(&stage1)?;
        let stage3 = self.stage3.forward(&stage2)?;
        let stage4 = self.stage4.forward(&stage3)?;
        let stage5 = self.stage5.forward(&stage4)?;
        let stage6 = self.stage6.forward(&stage5)?;
        let stage7 = self.stage7.forward(&stage6)?;
        let head = self.head.forward(&stage7)?;
        let mean = call(head.engine(), "mean", args![head, vec![2, 3]], vec![])?;
        let dropout = self.dropout.forward(&mean)?;
        let classifier = self.classifier.forward(&dropout)?;
        Ok(classifier)
    }
}
