//! Millpond's attribute macros.
