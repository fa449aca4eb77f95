//! The screen as a picture for the docs, and tests of what it shows.
