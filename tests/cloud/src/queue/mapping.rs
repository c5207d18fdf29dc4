//! An event source mapping: from a queue to a function.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::lambda::{Failure, Function, Lineage};
use crate::queue::answer::{Answer, verdict};
use crate::queue::chaos::Dice;
use crate::queue::{Message, Queue, Settings, event};

/// The time that a poll waits for a message.
const POLL: Duration = Duration::from_secs(1);

/// A running mapping. It ends when this is dropped: messages that it has not deleted by then become
/// visible again.
#[derive(Debug)]
pub struct Mapping {
    shared: Arc<Shared>,
    polling: JoinHandle<()>,
}

/// The activity of a mapping so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages received; each redelivery counts again.
    pub received: u64,
    /// Messages in the batches of invocations, copies included.
    pub delivered: u64,
    /// Duplicates created on purpose.
    pub copies: u64,
    /// Messages lost on purpose.
    pub lost: u64,
    /// Messages deleted because the function acknowledged them.
    pub acknowledged: u64,
    /// Messages that the function reported as failed.
    pub reported: u64,
    /// Messages of batches that failed as a whole.
    pub failed: u64,
    /// Messages of batches whose chain was stopped: they are deleted.
    pub stopped: u64,
    /// Invocations.
    pub invocations: u64,
    /// Invocations that failed.
    pub errors: Vec<String>,
}

#[derive(Debug)]
struct Shared {
    queue: Queue,
    function: Function,
    settings: Settings,
    counts: Mutex<Counts>,
    enabled: watch::Sender<bool>,
}

impl Mapping {
    /// Starts to poll once it is enabled.
    #[must_use]
    pub fn start(queue: Queue, function: Function, settings: Settings) -> Self {
        let counts = Mutex::default();
        let (enabled, _) = watch::channel(settings.enabled);
        let shared = Arc::new(Shared {
            queue,
            function,
            settings,
            counts,
            enabled,
        });
        let polling = tokio::spawn(poll(Arc::clone(&shared)));
        Self { shared, polling }
    }

    /// Its activity so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.shared.counts.lock().expect("no holder panics").clone()
    }

    /// Enables or disables polling: messages already received are still delivered. The others wait
    /// in the queue.
    pub fn enable(&self, enabled: bool) {
        self.shared.enabled.send_replace(enabled);
    }

    /// Whether it has panicked: its server rejected a request.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.polling.is_finished()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.polling.abort();
    }
}

async fn poll(shared: Arc<Shared>) {
    let Settings {
        batch,
        window,
        concurrency,
        ref chaos,
        ..
    } = shared.settings;
    let dice = Dice::new(chaos.seed);
    let free = Arc::new(Semaphore::new(concurrency));
    let mut held = VecDeque::new();
    let mut work = JoinSet::new();
    let mut enabled = shared.enabled.subscribe();
    loop {
        let on = enabled.wait_for(|on| *on).await;
        drop(on.expect("its sender is in reach of this"));
        // A slot for an invocation comes first: a message must not wait here while its visibility
        // timeout expires.
        let place = Arc::clone(&free)
            .acquire_owned()
            .await
            .expect("it is never closed");
        let wanted = batch.max(chaos.shuffle);
        let begun = Instant::now();
        while held.len() < wanted {
            let wait = if held.is_empty() {
                POLL
            } else {
                window.min(POLL)
            };
            let messages = shared.queue.receive(wanted - held.len(), wait).await;
            let none = messages.is_empty();
            shared.admit(messages, &dice, &mut held).await;
            if none && (held.is_empty() || begun.elapsed() >= window) {
                break;
            }
        }
        let messages: Vec<_> = (0..batch)
            .map_while(|_| draw(&mut held, chaos.shuffle > 0, &dice))
            .collect();
        if messages.is_empty() {
            continue;
        }
        let shared = Arc::clone(&shared);
        work.spawn(async move {
            shared.deliver(messages).await;
            drop(place);
        });
        while let Some(done) = work.try_join_next() {
            done.expect("the server takes deletes");
        }
    }
}

fn draw(held: &mut VecDeque<Message>, shuffle: bool, dice: &Dice) -> Option<Message> {
    match shuffle && !held.is_empty() {
        true => held.swap_remove_back(dice.index(held.len())),
        false => held.pop_front(),
    }
}

impl Shared {
    fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut self.counts.lock().expect("no holder panics"));
    }

    /// Accepts received messages, some of them several times, some of them not at all.
    async fn admit(&self, messages: Vec<Message>, dice: &Dice, held: &mut VecDeque<Message>) {
        let chaos = &self.settings.chaos;
        for message in messages {
            self.count(|counts| counts.received += 1);
            if dice.below(100) < chaos.lost_percent {
                self.count(|counts| counts.lost += 1);
                self.queue.delete(&[message.receipt]).await;
                continue;
            }
            let copies = dice.below(chaos.copies);
            self.count(|counts| counts.copies += copies);
            held.extend((0..=copies).map(|_| message.clone()));
        }
    }

    async fn deliver(&self, messages: Vec<Message>) {
        let ids: BTreeSet<_> = messages.iter().map(|message| message.id.clone()).collect();
        let event = event(&self.queue.arn, &messages).to_string();
        let some = u64::try_from(messages.len()).expect("a batch is small");
        self.count(|counts| {
            counts.invocations += 1;
            counts.delivered += some;
        });
        let chains = messages
            .iter()
            .map(|message| self.settings.chains.of_message(&message.body));
        let chain = chains.fold(Lineage::default(), Lineage::or_longer);
        let failed = match self.function.invoke_after(chain, event).await {
            Ok(_) if !self.settings.partial => BTreeSet::new(),
            Ok(answer) => match verdict(&answer, &ids) {
                Answer::Failed(failed) => failed,
                Answer::Nonsense(why) => return self.failed(some, why),
            },
            Err(Failure::Loop { .. }) => {
                self.count(|counts| counts.stopped += some);
                let receipts: Vec<_> = messages.into_iter().map(|one| one.receipt).collect();
                return self.queue.delete(&receipts).await;
            }
            Err(failure) => return self.failed(some, failure.to_string()),
        };
        let (reported, done): (Vec<_>, Vec<_>) = messages
            .into_iter()
            .partition(|message| failed.contains(&message.id));
        self.count(|counts| {
            counts.reported += u64::try_from(reported.len()).expect("a batch is small");
            counts.acknowledged += u64::try_from(done.len()).expect("a batch is small");
        });
        let receipts: BTreeSet<_> = done.into_iter().map(|message| message.receipt).collect();
        self.queue.delete(&Vec::from_iter(receipts)).await;
    }

    fn failed(&self, messages: u64, why: String) {
        self.count(|counts| {
            counts.failed += messages;
            counts.errors.push(why);
        });
    }
}
