//! How costs grow.

/// A picture to draw.
pub struct Curve {
    /// Name of the file, without ending.
    pub file: &'static str,
    /// What it shows.
    pub title: &'static str,
}

impl Curve {
    /// How many points it has.
    pub fn points(&self) -> usize {
        0
    }

    /// Measures and draws it.
    pub fn draw(&self, _step: &mut dyn FnMut()) -> Result<String, String> {
        Ok(String::new())
    }
}

/// All pictures.
pub fn all(_quick: bool) -> Vec<Curve> {
    Vec::new()
}
