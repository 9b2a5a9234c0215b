//! A bar on standard error for work that takes long, and its end by Ctrl-C.

use std::process::exit;
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use crate::error::Error;

/// What takes less time than this has no bar.
const SHOWN_AFTER: Duration = Duration::from_millis(500);

/// How often the bar's clock moves while nothing else does.
const TICK: Duration = Duration::from_millis(200);

/// A bar that shows after half a second, where standard error is a terminal. It is gone when dropped.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of `total` parts, each of them a `what`. From here on Ctrl-C clears the bar and ends the process with 130: what is
    /// going on must write nothing that could be left half-written.
    ///
    /// # Errors
    /// Where the signal cannot be caught.
    pub fn new(total: usize, what: &'static str) -> Result<Self, Error> {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{elapsed_precise} {bar:30} {pos} of {len} {prefix}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(what);
        let mut signals = Signals::new([SIGINT])
            .map_err(|error| Error::input(format!("cannot listen for an interrupt: {error}"), ""))?;
        let at_interrupt = bar.clone();
        thread::spawn(move || {
            if signals.forever().next().is_some() {
                at_interrupt.finish_and_clear();
                exit(130);
            }
        });
        let later = bar.clone();
        thread::spawn(move || {
            thread::sleep(SHOWN_AFTER);
            if !later.is_finished() {
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(TICK);
            }
        });
        Ok(Self { bar })
    }

    /// One more part is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
