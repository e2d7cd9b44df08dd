use glowgrad::{Engine, Result};
pub struct LayersWithout {}
glowgrad::parts!(LayersWithout: );
impl LayersWithout {
    pub fn new(_: &Engine) -> Result<LayersWithout> {
        Ok(LayersWithout {})
    }
}
