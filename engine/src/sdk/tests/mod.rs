//! Tests of what authors import.
