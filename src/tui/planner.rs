//! The thread that plans what the screen asks for, one plan after another. Started with the first.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::inbox::Message;
use crate::app::Request;

/// Hands requests to the thread, which sends what comes of them to the event loop.
pub(super) struct Planner {
    inbox: Sender<Message>,
    requests: Option<Sender<Request>>,
}

impl Planner {
    pub(super) fn new(inbox: Sender<Message>) -> Self {
        Self { inbox, requests: None }
    }

    /// Asks for a plan.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub(super) fn plan(&mut self, request: Request) -> io::Result<()> {
        let requests = match &self.requests {
            Some(requests) => requests,
            None => self.requests.insert(start(self.inbox.clone())?),
        };
        // The thread ends only with the event loop or by a panic, which ends the loop too.
        let _ = requests.send(request);
        Ok(())
    }
}

fn start(inbox: Sender<Message>) -> io::Result<Sender<Request>> {
    let (sender, requests) = channel();
    let work = move || {
        while let Some(request) = newest(&requests) {
            // What is found on the way needs no answer: where nobody listens any more, the last message tells.
            let mut send = |reply| _ = inbox.send(Message::Planned(reply));
            let last = request.carry_out(&mut send);
            if inbox.send(Message::Planned(last)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("planner".into()).spawn(work)?;
    Ok(sender)
}

/// Waits for a request; of several that wait only the last is wanted.
fn newest(requests: &Receiver<Request>) -> Option<Request> {
    let first = requests.recv().ok()?;
    Some(requests.try_iter().last().unwrap_or(first))
}
