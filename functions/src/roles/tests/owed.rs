//! The obligations of a message whose mail is already deleted.

use futures::future::join;
use millpond::client::{Ended, Engine, Signal};
use millpond::domain::Status;
use millpond_testing::{Injection, Rule, Verb};

use super::*;

type Known = Arc<OnceLock<Arc<ManualClock>>>;

const S: fn(u64) -> Duration = Duration::from_secs;

fn app(clock: &Known) -> App {
    let known = Arc::clone(clock);
    let each = move |ctx: Context, n: u64| {
        let known = Arc::clone(&known);
        async move {
            let mut sum = 0;
            for _ in 0..n {
                let got = ctx.receive::<u64>("in").await?;
                let known = Arc::clone(&known);
                let step = ctx.step("slow", move || {
                    let clock = Arc::clone(known.get().expect("set with the world"));
                    async move {
                        clock.sleep(S(5)).await;
                        Ok::<_, StepError>(got)
                    }
                });
                sum += step.await?;
            }
            Ok::<_, Failed>(sum)
        }
    };
    let itself = async |ctx: Context, n: u64| {
        for one in 0..n {
            ctx.send(ctx.eid(), "in", &one)?;
            let _: u64 = ctx.receive("in").await?;
        }
        Ok::<_, Failed>(n)
    };
    App::new()
        .workflow("each", "1", each)
        .workflow("itself", "1", itself)
}

fn the_world() -> (World, Known) {
    let clock = Known::default();
    let world = World::new(app(&clock));
    let _ = clock.set(Arc::clone(&world.clock));
    (world, clock)
}

/// Another process, whose tasks run beside those of the first one.
fn process(world: &World, clock: &Known, n: u64) -> (World, Engine) {
    let own = world.beside(app(clock), &format!("w{n}"), n);
    let ports = millpond::ports::Ports {
        spawner: Arc::new(world.pool.clone()),
        ..own.engine.ports().clone()
    };
    let core = own.engine.core();
    let (host, settings) = (core.host.clone(), core.settings.clone());
    let engine = Engine::with_settings(ports, app(clock), host, settings).expect("in a test");
    (own, engine)
}

async fn reports(engine: &Engine, message: Value) -> Batch {
    let all = read(&[message]);
    let deadline = Deadline::within(&*engine.ports().clock, MINUTE);
    batch(engine, &Seen::default(), &all.records, deadline).await
}

/// The first run deletes its mail and is cut off before its last list; meanwhile another message
/// was acknowledged, because the lease holder was expected to list.
#[test]
fn case20_what_a_reported_message_owes_is_done_when_it_comes_again() {
    it_is_done_when_it_comes_again_with(json!({"ApproximateReceiveCount": "2"}));
    // The message does not indicate a first delivery.
    it_is_done_when_it_comes_again_with(json!({}));
}

fn it_is_done_when_it_comes_again_with(attributes: Value) {
    let (world, clock) = the_world();
    let eid = start(&world, "each", 2);
    world.run_all();
    world
        .signal(eid, Signal::on("in").value(&1_u64))
        .expect("in a test");
    let first = message(&world, "a", eid, 1);
    let mut again = message(&world, "a", eid, 2);
    again["attributes"] = attributes;
    let (a, one) = process(&world, &clock, 2);
    let (_, two) = process(&world, &clock, 3);
    let looks = Rule::new(Injection::NotSent).on(Verb::List).under("mail/");
    a.faults.add(looks.skip(1).always());
    // The final commit is in flight for four seconds.
    let slow = Rule::new(Injection::Delay(S(4))).on_writes().under("x/");
    a.faults.add(slow.skip(1));
    let mail = |world: &World| {
        let rows = world.memory.snapshot().into_iter().map(|(key, _)| key);
        rows.filter(|key| MailKey::parse(key).is_some())
            .collect::<Vec<_>>()
    };
    let old = mail(&world);
    let meanwhile = async {
        world.clock.sleep(S(7)).await;
        let signal = Signal::on("in").value(&2_u64);
        world.engine.signal(eid, signal).await.expect("in a test");
        let new = mail(&world).into_iter().find(|key| !old.contains(key));
        let new = new.expect("the second message");
        let text = notification(&format!("team/{new}")).to_string();
        reports(&two, sqs("b", &text, 1)).await
    };
    let (cut, held) = world.block(join(reports(&one, first), meanwhile));
    assert_eq!(failed(&cut), ["a"], "reported");
    assert!(matches!(held.served[0].ended, Some(Ok(Ended::Held(_)))));
    assert_eq!(failed(&held).len(), 0, "acknowledged");
    world.clock.advance(S(360));
    let (_, three) = process(&world, &clock, 4);
    let done = world.block(reports(&three, again));
    assert_eq!(failed(&done).len(), 0);
    assert_eq!(world.status(eid), Status::Completed);
    assert_eq!(world.result::<u64>(eid), Ok(3));
}

#[test]
fn an_execution_that_has_more_to_do_than_one_run_makes_passes_is_run_to_its_end() {
    let (world, _) = the_world();
    let eid = start(&world, "itself", 40);
    let done = serve(&world, &[message(&world, "a", eid, 1)]);
    assert_eq!(failed(&done).len(), 0);
    assert_eq!(world.result::<u64>(eid), Ok(40));
}
