//! The record of a plan: recorder, state, keyframes, cursor, index.
