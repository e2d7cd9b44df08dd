//! LayersWithWeights, made in glowgrad's studio.

use glowgrad::nn::{
    BatchNorm1d,
    BatchNorm1dOptions,
    BatchNorm2d,
    BatchNorm2dOptions,
    BatchNorm3d,
    BatchNorm3dOptions,
    Conv1d,
    Conv1dOptions,
    Conv2d,
    Conv2dOptions,
    Conv3d,
    Conv3dOptions,
    ConvTranspose1d,
    ConvTranspose1dOptions,
    ConvTranspose2d,
    ConvTranspose2dOptions,
    Embedding,
    EmbeddingOptions,
    GRU,
    GroupNorm,
    GroupNormOptions,
    LSTM,
    LayerNorm,
    LayerNormOptions,
    Linear,
    LinearOptions,
    Module,
    PReLU,
    PReLUOptions,
    RMSNorm,
    RMSNormOptions,
    RNN,
    RecurrentOptions,
    TransformerEncoderLayer,
    TransformerEncoderLayerOptions,
};
use glowgrad::{Engine, Result, Tensor};

/// LayersWithWeights
pub struct LayersWithWeights {
    pub prelu_0: PReLU,
    pub prelu_1: PReLU,
    pub linear_0: Linear,
    pub linear_1: Linear,
    pub linear_2: Linear,
    pub embedding_0: Embedding,
    pub embedding_1: Embedding,
    pub conv1d_0: Conv1d,
    pub conv1d_1: Conv1d,
    pub conv1d_2: Conv1d,
    pub conv2d_0: Conv2d,
    pub conv2d_1: Conv2d,
    pub conv2d_2: Conv2d,
    pub conv3d_0: Conv3d,
    pub conv3d_1: Conv3d,
    pub conv3d_2: Conv3d,
    pub convtranspose1d_0: ConvTranspose1d,
    pub convtranspose1d_1: ConvTranspose1d,
    pub convtranspose1d_2: ConvTranspose1d,
    pub convtranspose1d_3: ConvTranspose1d,
    pub convtranspose2d_0: ConvTranspose2d,
    pub convtranspose2d_1: ConvTranspose2d,
    pub convtranspose2d_2: ConvTranspose2d,
    pub convtranspose2d_3: ConvTranspose2d,
    pub layernorm_0: LayerNorm,
    pub layernorm_1: LayerNorm,
    pub rmsnorm_0: RMSNorm,
    pub groupnorm_0: GroupNorm,
    pub batchnorm1d_0: BatchNorm1d,
    pub batchnorm2d_0: BatchNorm2d,
    pub batchnorm3d_0: BatchNorm3d,
    pub transformerencoderlayer_0: TransformerEncoderLayer,
    pub rnn_0: RNN,
    pub rnn_1: RNN,
    pub lstm_0: LSTM,
    pub lstm_1: LSTM,
    pub gru_0: GRU,
    pub gru_1: GRU,
}
glowgrad::parts!(
    LayersWithWeights: prelu_0,
    prelu_1,
    linear_0,
    linear_1,
    linear_2,
    embedding_0,
    embedding_1,
    conv1d_0,
    conv1d_1,
    conv1d_2,
    conv2d_0,
    conv2d_1,
    conv2d_2,
    conv3d_0,
    conv3d_1,
    conv3d_2,
    convtranspose1d_0,
    convtranspose1d_1,
    convtranspose1d_2,
    convtranspose1d_3,
    convtranspose2d_0,
    convtranspose2d_1,
    convtranspose2d_2,
    convtranspose2d_3,
    layernorm_0,
    layernorm_1,
    rmsnorm_0,
    groupnorm_0,
    batchnorm1d_0,
    batchnorm2d_0,
    batchnorm3d_0,
    transformerencoderlayer_0,
    rnn_0,
    rnn_1,
    lstm_0,
    lstm_1,
    gru_0,
    gru_1,
);

impl LayersWithWeights {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<LayersWithWeights> {
        Ok(LayersWithWeights {
            prelu_0: PReLUOptions::new().build(engine)?,
            prelu_1: PReLUOptions::new().num_parameters(3usize).build(engine)?,
            linear_0: LinearOptions::new(3usize, 2usize).build(engine)?,
            linear_1: LinearOptions::new(3usize, 2usize).bias(false).build(engine)?,
            linear_2: LinearOptions::new(3usize, 2usize).build(engine)?,
            embedding_0: EmbeddingOptions::new(10usize, 4usize).build(engine)?,
            embedding_1: EmbeddingOptions::new(10usize, 4usize).padding_idx(1i64).build(engine)?,
            conv1d_0: Conv1dOptions::new(2usize, 4usize, 3).build(engine)?,
            conv1d_1: Conv1dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1usize)
                .groups(2usize)
                .build(engine)?,
            conv1d_2: Conv1dOptions::new(2usize, 4usize, [3])
                .dilation(2)
                .bias(false)
                .build(engine)?,
            conv2d_0: Conv2dOptions::new(2usize, 4usize, 3).build(engine)?,
            conv2d_1: Conv2dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1usize)
                .groups(2usize)
                .build(engine)?,
            conv2d_2: Conv2dOptions::new(2usize, 4usize, [3, 2])
                .dilation(2)
                .bias(false)
                .build(engine)?,
            conv3d_0: Conv3dOptions::new(2usize, 4usize, 3).build(engine)?,
            conv3d_1: Conv3dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1usize)
                .groups(2usize)
                .build(engine)?,
            conv3d_2: Conv3dOptions::new(2usize, 4usize, [3, 2, 1])
                .dilation(2)
                .bias(false)
                .build(engine)?,
            convtranspose1d_0: ConvTranspose1dOptions::new(2usize, 4usize, 3).build(engine)?,
            convtranspose1d_1: ConvTranspose1dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1)
                .groups(2usize)
                .build(engine)?,
            convtranspose1d_2: ConvTranspose1dOptions::new(2usize, 4usize, [3])
                .bias(false)
                .dilation(2)
                .build(engine)?,
            convtranspose1d_3: ConvTranspose1dOptions::new(2usize, 3usize, 3)
                .stride(2)
                .output_padding(1)
                .build(engine)?,
            convtranspose2d_0: ConvTranspose2dOptions::new(2usize, 4usize, 3).build(engine)?,
            convtranspose2d_1: ConvTranspose2dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1)
                .groups(2usize)
                .build(engine)?,
            convtranspose2d_2: ConvTranspose2dOptions::new(2usize, 4usize, [3, 2])
                .bias(false)
                .dilation(2)
                .build(engine)?,
            convtranspose2d_3: ConvTranspose2dOptions::new(2usize, 3usize, 3)
                .stride(2)
                .output_padding(1)
                .build(engine)?,
            layernorm_0: LayerNormOptions::new(3).build(engine)?,
            layernorm_1: LayerNormOptions::new([2, 3]).bias(false).build(engine)?,
            rmsnorm_0: RMSNormOptions::new(3).build(engine)?,
            groupnorm_0: GroupNormOptions::new(2usize, 4usize).build(engine)?,
            batchnorm1d_0: BatchNorm1dOptions::new(3usize).build(engine)?,
            batchnorm2d_0: BatchNorm2dOptions::new(3usize).build(engine)?,
            batchnorm3d_0: BatchNorm3dOptions::new(3usize).build(engine)?,
            transformerencoderlayer_0: TransformerEncoderLayerOptions::new(8usize, 2usize)
                .dim_feedforward(16usize)
                .batch_first(true)
                .build(engine)?,
            rnn_0: RecurrentOptions::new(3usize, 4usize).elman(engine)?,
            rnn_1: RecurrentOptions::new(3usize, 4usize)
                .num_layers(2usize)
                .batch_first(true)
                .bidirectional(true)
                .elman(engine)?,
            lstm_0: RecurrentOptions::new(3usize, 4usize).lstm(engine)?,
            lstm_1: RecurrentOptions::new(3usize, 4usize)
                .num_layers(2usize)
                .batch_first(true)
                .bidirectional(true)
                .lstm(engine)?,
            gru_0: RecurrentOptions::new(3usize, 4usize).gru(engine)?,
            gru_1: RecurrentOptions::new(3usize, 4usize)
                .num_layers(2usize)
                .batch_first(true)
                .bidirectional(true)
                .gru(engine)?,
        })
    }

    /// What it computes.
    pub fn run(
        &self,
        prelu_0_in: &Tensor,
        prelu_1_in: &Tensor,
        linear_0_in: &Tensor,
        linear_1_in: &Tensor,
        linear_2_in: &Tensor,
        embedding_0_in: &Tensor,
        embedding_1_in: &Tensor,
        conv1d_0_in: &Tensor,
        conv1d_1_in: &Tensor,
        conv1d_2_in: &Tensor,
        conv2d_0_in: &Tensor,
        conv2d_1_in: &Tensor,
        conv2d_2_in: &Tensor,
        conv3d_0_in: &Tensor,
        conv3d_1_in: &Tensor,
        conv3d_2_in: &Tensor,
        convtranspose1d_0_in: &Tensor,
        convtranspose1d_1_in: &Tensor,
        convtranspose1d_2_in: &Tensor,
        convtranspose1d_3_in: &Tensor,
        convtranspose2d_0_in: &Tensor,
        convtranspose2d_1_in: &Tensor,
        convtranspose2d_2_in: &Tensor,
        convtranspose2d_3_in: &Tensor,
        layernorm_0_in: &Tensor,
        layernorm_1_in: &Tensor,
        rmsnorm_0_in: &Tensor,
        groupnorm_0_in: &Tensor,
        batchnorm1d_0_in: &Tensor,
        batchnorm2d_0_in: &Tensor,
        batchnorm3d_0_in: &Tensor,
        transformerencoderlayer_0_in: &Tensor,
        rnn_0_in: &Tensor,
        rnn_1_in: &Tensor,
        lstm_0_in: &Tensor,
        lstm_1_in: &Tensor,
        gru_0_in: &Tensor,
        gru_1_in: &Tensor,
    ) -> Result<[Tensor; 38]> {
        let prelu_0 = self.prelu_0.forward(prelu_0_in)?;
        let prelu_1 = self.prelu_1.forward(prelu_1_in)?;
        let linear_0 = self.linear_0.forward(linear_0_in)?;
        let linear_1 = self.linear_1.forward(linear_1_in)?;
        let linear_2 = self.linear_2.forward(linear_2_in)?;
        let embedding_0 = self.embedding_0.forward(embedding_0_in)?;
        let embedding_1 = self.embedding_1.forward(embedding_1_in)?;
        let conv1d_0 = self.conv1d_0.forward(conv1d_0_in)?;
        let conv1d_1 = self.conv1d_1.forward(conv1d_1_in)?;
        let conv1d_2 = self.conv1d_2.forward(conv1d_2_in)?;
        let conv2d_0 = self.conv2d_0.forward(conv2d_0_in)?;
        let conv2d_1 = self.conv2d_1.forward(conv2d_1_in)?;
        let conv2d_2 = self.conv2d_2.forward(conv2d_2_in)?;
        let conv3d_0 = self.conv3d_0.forward(conv3d_0_in)?;
        let conv3d_1 = self.conv3d_1.forward(conv3d_1_in)?;
        let conv3d_2 = self.conv3d_2.forward(conv3d_2_in)?;
        let convtranspose1d_0 = self.convtranspose1d_0.forward(convtranspose1d_0_in)?;
        let convtranspose1d_1 = self.convtranspose1d_1.forward(convtranspose1d_1_in)?;
        let convtranspose1d_2 = self.convtranspose1d_2.forward(convtranspose1d_2_in)?;
        let convtranspose1d_3 = self.convtranspose1d_3.forward(convtranspose1d_3_in)?;
        let convtranspose2d_0 = self.convtranspose2d_0.forward(convtranspose2d_0_in)?;
        let convtranspose2d_1 = self.convtranspose2d_1.forward(convtranspose2d_1_in)?;
        let convtranspose2d_2 = self.convtranspose2d_2.forward(convtranspose2d_2_in)?;
        let convtranspose2d_3 = self.convtranspose2d_3.forward(convtranspose2d_3_in)?;
        let layernorm_0 = self.layernorm_0.forward(layernorm_0_in)?;
        let layernorm_1 = self.layernorm_1.forward(layernorm_1_in)?;
        let rmsnorm_0 = self.rmsnorm_0.forward(rmsnorm_0_in)?;
        let groupnorm_0 = self.groupnorm_0.forward(groupnorm_0_in)?;
        let batchnorm1d_0 = self.batchnorm1d_0.forward(batchnorm1d_0_in)?;
        let batchnorm2d_0 = self.batchnorm2d_0.forward(batchnorm2d_0_in)?;
        let batchnorm3d_0 = self.batchnorm3d_0.forward(batchnorm3d_0_in)?;
        let transformerencoderlayer_0 = self.transformerencoderlayer_0.forward(
            transformerencoderlayer_0_in,
        )?;
        let rnn_0 = self.rnn_0.forward(rnn_0_in)?;
        let rnn_1 = self.rnn_1.forward(rnn_1_in)?;
        let lstm_0 = self.lstm_0.forward(lstm_0_in)?;
        let lstm_1 = self.lstm_1.forward(lstm_1_in)?;
        let gru_0 = self.gru_0.forward(gru_0_in)?;
        let gru_1 = self.gru_1.forward(gru_1_in)?;
        Ok(
            [
                prelu_0,
                prelu_1,
                linear_0,
                linear_1,
                linear_2,
                embedding_0,
                embedding_1,
                conv1d_0,
                conv1d_1,
                conv1d_2,
                conv2d_0,
                conv2d_1,
                conv2d_2,
                conv3d_0,
                conv3d_1,
                conv3d_2,
                convtranspose1d_0,
                convtranspose1d_1,
                convtranspose1d_2,
                convtranspose1d_3,
                convtranspose2d_0,
                convtranspose2d_1,
                convtranspose2d_2,
                convtranspose2d_3,
                layernorm_0,
                layernorm_1,
                rmsnorm_0,
                groupnorm_0,
                batchnorm1d_0,
                batchnorm2d_0,
                batchnorm3d_0,
                transformerencoderlayer_0,
                rnn_0,
                rnn_1,
                lstm_0,
                lstm_1,
                gru_0,
                gru_1,
            ],
        )
    }
}
