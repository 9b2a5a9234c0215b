//! Lower bounds, each labelled with what it bounds.
