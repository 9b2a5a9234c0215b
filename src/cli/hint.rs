//! Whether it is the first start. A file in the state folder says that it is not.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// Whether the visualizer was never opened before, as far as is known; from now on it was. Where nothing can be written,
/// each start is the first, which is no fault.
pub fn first_start() -> bool {
    let Some(file) = mark() else { return false };
    if file.exists() {
        return false;
    }
    if let Some(folder) = file.parent() {
        drop(std::fs::create_dir_all(folder));
    }
    drop(std::fs::write(&file, "The visualizer was opened before, so it does not show again what to press first.\n"));
    true
}

/// `$XDG_STATE_HOME/spillscope/opened`; the data folder where a system has none for state.
fn mark() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    let state = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Some(state.join("spillscope").join("opened"))
}
