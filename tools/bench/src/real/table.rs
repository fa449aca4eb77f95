//! The table for people.
