//! OpenTelemetry traces of `worker` (feature `otel`).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;

use crate::world::{Done, World};

/// A collector that reports the bodies of the requests to it.
fn collector() -> (SocketAddr, mpsc::Receiver<Vec<u8>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let (send, bodies) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                let line = line.trim().to_lowercase();
                if line.is_empty() {
                    break;
                }
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
            send.send(body).unwrap();
        }
    });
    (address, bodies)
}

#[test]
fn e21_a_worker_sends_each_run_and_attempt_to_a_collector() {
    let world = World::new();
    let eid = world.start(&["fail"]);
    let (address, bodies) = collector();
    let mut worker = world.command(&["worker", "--until-idle"]);
    worker.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}"));
    let done = Done::of(&mut worker);
    assert_eq!(done.code, 0, "{done:?}");
    let sent: Vec<u8> = bodies.try_iter().flatten().collect();
    let holds = |part: &[u8]| sent.windows(part.len()).any(|found| found == part);
    // The trace is the execution's: its id is that of the execution.
    let digits = eid.replace('-', "");
    let id: Vec<u8> = (0..16)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    assert!(holds(&id), "the trace id");
    assert!(holds(b"execution") && holds(b"root/charge#0"), "the spans");
}
