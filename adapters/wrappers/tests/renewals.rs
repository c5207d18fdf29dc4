//! A store that serves few requests, many that want to be served, and an attempt whose lease must
//! be renewed among them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::future::{join, join_all};
use millpond::client::{App, Engine, Notice, Start, Worker, WorkerOptions};
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Clock, Expect, Fault, Object, Outcome, Page, Verb};
use millpond::{Context, Failed, Retry, StepError};
use millpond_testing::{ManualClock, World};
use millpond_wrappers::{Limits, Throttled};

const SECOND: Duration = Duration::from_secs(1);

/// A store that serves two requests a second of what is below `x/`, and sends all others away.
#[derive(Debug)]
struct Scarce {
    inner: Arc<dyn Bucket>,
    clock: Arc<ManualClock>,
    opens: Mutex<Duration>,
}

impl Scarce {
    fn admit(&self, verb: Verb, key: &str) -> Result<(), BucketError> {
        if !key.starts_with("x/") {
            return Ok(());
        }
        let now = self.clock.monotonic();
        let mut opens = self.opens.lock().expect("no holder panics");
        if now < *opens {
            return Err(BucketError::new(Fault::Throttled, verb, key));
        }
        *opens = now + SECOND / 2;
        Ok(())
    }
}

#[async_trait]
impl Bucket for Scarce {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.admit(Verb::Read, key.as_str())?;
        self.inner.read(key).await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.admit(Verb::writing(&expect), key.as_str())?;
        self.inner.write(key, body, expect).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.admit(Verb::Delete, key.as_str())?;
        self.inner.delete(key).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        self.admit(Verb::List, prefix.as_str())?;
        self.inner.list(prefix, after, limit).await
    }
}

/// A step of five minutes that may be made once.
async fn long(
    ctx: Context,
    (clock, begun): (Arc<ManualClock>, Arc<Mutex<u32>>),
) -> Result<u32, Failed> {
    let step = ctx.step("long", move || {
        let (clock, begun) = (Arc::clone(&clock), Arc::clone(&begun));
        async move {
            *begun.lock().expect("no holder panics") += 1;
            clock.sleep(SECOND * 300).await;
            Ok::<_, StepError>(7_u32)
        }
    });
    Ok(step.retry(Retry::none()).await?)
}

#[test]
fn renewals_get_through_a_store_that_slows_down_among_many_reads() {
    let mut world = World::new(App::new());
    let (clock, begun) = (Arc::clone(&world.clock), Arc::new(Mutex::new(0)));
    let with = (Arc::clone(&clock), Arc::clone(&begun));
    let app = App::new().workflow("long", "1", move |ctx, (): ()| long(ctx, with.clone()));
    let scarce = Scarce {
        inner: Arc::clone(&world.counting) as Arc<dyn Bucket>,
        clock: Arc::clone(&clock),
        opens: Mutex::default(),
    };
    let time = Arc::clone(&clock) as Arc<dyn Clock>;
    let throttled = Arc::new(Throttled::new(Arc::new(scarce), time, Limits::default()));
    let mut ports = world.engine.ports().clone();
    ports.bucket = Arc::clone(&throttled) as Arc<dyn Bucket>;
    let host = world.engine.core().host.clone();
    world.engine = Engine::new(ports, app, host).expect("an application");

    let (stop, abandon) = (Notice::new(), Notice::new());
    let worker = Worker::new(&world.engine, WorkerOptions::default());
    let story = async {
        let eid = world.engine.start(Start::new("long")).await;
        let eid = eid.expect("nothing is asked yet").eid;
        clock.sleep(SECOND * 20).await;
        assert_eq!(*begun.lock().expect("no holder panics"), 1, "it runs");
        // 200 callers, each of which wants to see it every ten seconds.
        let callers = (0..200_u32).map(|caller| {
            let (clock, engine) = (&clock, &world.engine);
            async move {
                clock.sleep(SECOND * caller / 20).await;
                for _ in 0..24 {
                    let _throttled = engine.status(eid).await;
                    clock.sleep(SECOND * 10).await;
                }
            }
        });
        join_all(callers).await;
        clock.sleep(SECOND * 120).await;
        stop.set();
        eid
    };
    let (_, eid) = world.block(join(worker.run(&stop, &abandon), story));
    let standing = throttled.standing();
    assert!(
        standing.slow_downs > 50 && standing.kept_back > 1_000,
        "{standing:?}"
    );
    assert_eq!(*begun.lock().expect("no holder panics"), 1);
    assert_eq!(
        world.result::<u32>(eid),
        Ok(7),
        "the lease was kept: {standing:?}"
    );
}
