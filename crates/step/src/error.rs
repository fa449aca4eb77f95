//! What is wrong with a command, and what to write instead.

use std::fmt;

use statewright_author::names::visible;
use statewright_author::similar;

/// A command that cannot be carried out; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl StepError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
        }
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A name that the machine does not have, with the one that was probably meant, all of them if
    /// they are few, or a way to see them.
    pub(crate) fn unknown<'n>(
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
        listed_by: &str,
    ) -> Self {
        let error = Self::new(format!("there is no {what} `{}`", visible(name)));
        let known: Vec<&str> = known.into_iter().collect();
        match (similar::closest(name, known.iter().copied()), known.len()) {
            (Some(closest), _) => error.help(format!("did you mean `{}`?", visible(closest))),
            (None, 0) => error.help(format!("this machine has no {what}s")),
            (None, 1..=8) => error.help(format!("there are: {}", visible(&known.join(", ")))),
            _ => error.help(listed_by.to_owned()),
        }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help
            .as_ref()
            .map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for StepError {}
