//! Steps in a `World`: mocks, state, and real I/O.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(
    clippy::disallowed_methods,
    reason = "the I/O of a step is on threads of its own"
)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::channel::oneshot;
use millpond::client::{App, Start};
use millpond::ports::Clock as _;
use millpond::prelude::*;
use millpond_testing::World;

/// A connection to a server.
struct Server(SocketAddr);

/// The answer of a server, read by a thread: an attempt waits for it without blocking.
#[millpond::step]
async fn ask(server: State<Server>, word: String) -> Result<String, StepError> {
    let (send, answer) = oneshot::channel();
    let address = server.0;
    std::thread::spawn(move || {
        let asked = || {
            let mut stream = TcpStream::connect(address)?;
            stream.write_all(word.as_bytes())?;
            stream.shutdown(std::net::Shutdown::Write)?;
            let mut text = String::new();
            stream.read_to_string(&mut text)?;
            Ok::<_, std::io::Error>(text)
        };
        let _ = send.send(asked());
    });
    Ok(answer.await??)
}

#[millpond::workflow]
async fn greet(ctx: Context, word: String) -> Result<String, Failed> {
    let half_a_minute = Duration::from_secs(30);
    Ok(ctx.run::<ask>(&word).timeout(half_a_minute).await?)
}

/// Answers one connection with what it receives, twice.
fn server() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        write!(stream, "{text}, {text}").unwrap();
    });
    address
}

#[test]
fn e23_the_clock_stands_still_while_a_step_does_real_io() {
    let app = App::new().register::<greet>().state(Server(server()));
    let world = World::new(app);
    let before = world.clock.now();
    let eid = world.start(Start::of::<greet>(&"hi".to_owned())).eid;
    world.run_all();
    assert_eq!(world.result(eid), Ok("hi, hi".to_owned()));
    assert_eq!(world.clock.now(), before);
}

#[test]
fn e23_a_mock_answers_in_place_of_a_step() {
    // The step would fail: nothing listens.
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
    let app = App::new().register::<greet>().state(Server(nowhere));
    let world = World::new(app);
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    world.mock::<ask>(move |attempt, word| {
        counted.fetch_add(1, Ordering::Relaxed);
        match attempt.number() {
            1 => Err(StepError::new("Busy", "try again")),
            _ => Ok(format!("mocked {word}")),
        }
    });
    let start = |word: &str| world.start(Start::of::<greet>(&word.to_owned())).eid;
    let one = start("one");
    world.run_all();
    assert_eq!(world.result(one), Ok("mocked one".to_owned()));
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    // A later mock replaces it, and a replay runs neither.
    world.mock::<ask>(|_, _| Err(StepError::new("Gone", "for good").terminal()));
    let two = start("two");
    world.run_all();
    assert_eq!(
        world.result::<String>(two),
        Err("Gone: root/ask#0: for good".to_owned())
    );
}

#[test]
fn e23_a_state_that_the_application_lacks_fails_the_step_once() {
    let world = World::new(App::new().register::<greet>());
    let eid = world.start(Start::of::<greet>(&"hi".to_owned())).eid;
    world.run_all();
    let failure = world.result::<String>(eid).unwrap_err();
    assert!(
        failure.starts_with("state: root/ask#0: the application has no state of this type"),
        "{failure}"
    );
    let frames = world.block(world.engine.frames(eid)).unwrap();
    assert_eq!(frames.frames[0].attempts.len(), 1);
}

#[millpond::step]
async fn numbered(
    attempt: Attempt,
    first: State<u32>,
    second: State<String>,
    a: u32,
    b: u32,
) -> Result<String, StepError> {
    Ok(format!(
        "{} {} {} {a} {b}",
        attempt.number(),
        *first,
        *second
    ))
}

async fn named(number: State<u32>, input: u32) -> Result<u32, StepError> {
    Ok(*number + input)
}

#[millpond::workflow]
async fn all(ctx: Context) -> Result<String, Failed> {
    let input = NumberedInput { a: 1, b: 2 };
    let text = ctx.run::<numbered>(&input).await?;
    let sum = ctx.call("named", named, &3).await?;
    Ok(format!("{text} {sum}"))
}

#[test]
fn e23_states_come_after_the_attempt_and_before_the_input() {
    let app = App::new().state(7_u32).register::<all>();
    let world = World::new(app.state("text".to_owned()));
    let eid = world.start(Start::of::<all>(&())).eid;
    world.run_all();
    assert_eq!(world.result(eid), Ok("1 7 text 1 2 10".to_owned()));
}

#[test]
fn e23_two_states_of_one_type_are_refused() {
    let error = App::new().state(1_u32).state(2_u32).check().unwrap_err();
    assert!(error.to_string().ends_with("type=u32"), "{error}");
}
