//! One file a format, each ending in the model; nothing else knows a format.
