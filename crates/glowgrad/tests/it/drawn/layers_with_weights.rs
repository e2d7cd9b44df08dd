use glowgrad::{Engine, Result};
pub struct LayersWithWeights {}
glowgrad::parts!(LayersWithWeights: );
impl LayersWithWeights {
    pub fn new(_: &Engine) -> Result<LayersWithWeights> {
        Ok(LayersWithWeights {})
    }
}
