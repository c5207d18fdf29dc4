//! A server that answers by script, over plain HTTP/1.1, and remembers what it was asked.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Status, headers, body.
    Say(u16, Vec<(&'static str, String)>, String),
    /// Reads the request and closes the connection.
    Hang,
    /// Reads the request and never answers.
    Silence,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: Vec<String>,
}

impl Asked {
    /// The path, as the server understands it.
    pub(crate) fn path(&self) -> String {
        let path = self.line.split(' ').nth(1).unwrap_or_default();
        path.replace("%2F", "/").replace("%7E", "~")
    }

    pub(crate) fn has(&self, header: &str) -> bool {
        self.headers.iter().any(|line| line == header)
    }
}

#[derive(Default)]
struct State {
    script: VecDeque<Answer>,
    asked: Vec<Asked>,
    /// Connections left without an answer stay open.
    silent: Vec<TcpStream>,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub(crate) fn start(script: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State {
            script: script.into_iter().collect(),
            ..State::default()
        }));
        let serving = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), state) = (stream, Arc::clone(&serving)) else {
                    return;
                };
                thread::spawn(move || serve(&stream, &state));
            }
        });
        Self { address, state }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.state.lock().expect("whole").asked.clone()
    }
}

/// Serves one request after the other; each answer closes its connection.
fn serve(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let length = lines.iter().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        let named = name.eq_ignore_ascii_case("content-length");
        named.then(|| value.parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("a body");
    let mut state = state.lock().expect("whole");
    state.asked.push(Asked {
        line: lines.remove(0),
        headers: lines,
    });
    let answer = state.script.pop_front().expect("the script has an answer");
    match answer {
        Answer::Hang => {}
        Answer::Silence => state.silent.push(stream.try_clone().expect("a socket")),
        Answer::Say(status, headers, body) => {
            let mut text = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n");
            for (name, value) in headers {
                text += &format!("{name}: {value}\r\n");
            }
            text += &format!("content-length: {}\r\n\r\n{body}", body.len());
            let mut stream = stream;
            stream.write_all(text.as_bytes()).expect("a reader");
        }
    }
}
