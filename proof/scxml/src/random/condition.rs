//! Conditions and values by chance.

use super::generator::Generator;

impl Generator {
    /// A condition: comparisons, `In`, and combinations.
    pub fn condition(&mut self) -> String {
        match self.rng.below(10) {
            0..=6 => self.test(),
            7 => format!("{} && {}", self.test(), self.test()),
            8 => format!("{} || {}", self.test(), self.test()),
            _ => format!("!({} && ({} || {}))", self.test(), self.test(), self.test()),
        }
    }

    fn test(&mut self) -> String {
        let with_integers = if self.integers.is_empty() { 0 } else { 8 };
        match self.rng.weighted(&[
            4,
            2,
            with_integers,
            3 * usize::from(self.flag),
            2 * usize::from(self.word),
            1,
            1,
        ]) {
            0 => format!("In('{}')", self.any_id()),
            1 => format!("!In('{}')", self.any_id()),
            2 => {
                let operator = self
                    .rng
                    .one(&["<", "<=", ">", ">=", "==", "!=", "===", "!=="]);
                format!("{} {operator} {}", self.sum(), self.operand())
            }
            3 => self
                .rng
                .one(&["flag", "!flag", "flag == true", "flag != false"])
                .to_string(),
            4 => self
                .rng
                .one(&["word == 'red'", "word != 'blue'", "word === 'green'"])
                .to_string(),
            5 => "true".to_string(),
            // Whoever is asked says yes.
            _ => self
                .rng
                .one(&["ready()", "!ready(2)", "near('red', -1)"])
                .to_string(),
        }
    }

    pub fn any_id(&mut self) -> String {
        let at = self.rng.between(1, self.plan.nodes.len() - 1);
        self.plan.nodes[at].id.clone()
    }

    /// An integer expression; needs integer data.
    pub fn sum(&mut self) -> String {
        let (first, second) = (self.operand(), self.operand());
        match self.rng.below(9) {
            0..=3 => self.rng.one(&self.integers).to_string(),
            4 => format!("{first} + {second}"),
            5 => format!("{first} - {second}"),
            6 => format!("{first} * 2 + {second}"),
            7 => format!("-({first} - {second})"),
            _ => format!("({first} + 1) * {second}"),
        }
    }

    fn operand(&mut self) -> String {
        if self.rng.chance(45) {
            return self.rng.one(&self.integers).to_string();
        }
        self.rng
            .one(&["0", "1", "2", "3", "5", "-1", "10"])
            .to_string()
    }
}
