//! The checker: replays a plan by the published rules, apart from the engine.
