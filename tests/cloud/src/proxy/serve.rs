//! The proxy itself.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{CONNECTION, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use tokio::time::Instant;

use crate::http::{Answer, Server, hang_up, text};
use crate::lambda::{Chains, Lineage};
use crate::policy::{Access, Decision, Policy, accesses};
use crate::proxy::cut::Cut;
use crate::proxy::refuse::refusal;
use crate::proxy::{Asked, Counts, Injection};

/// A function's proxy to S3 and SQS. It closes when this is dropped.
#[derive(Debug)]
pub struct Proxy {
    server: Server,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// `host:port` of the upstream server.
    behind: String,
    policy: Policy,
    chains: Chains,
    client: Client<HttpConnector, Full<Bytes>>,
    asked: Mutex<Vec<Asked>>,
    cut: Mutex<Option<Cut>>,
}

impl Proxy {
    /// Starts a proxy to the server at `url` for a caller with `policy`.
    ///
    /// # Errors
    /// No port is available.
    pub async fn start(url: &str, policy: Policy) -> io::Result<Self> {
        Self::start_with(url, policy, Chains::default()).await
    }

    /// Does the same, and records the lineages of what is written.
    ///
    /// # Errors
    /// No port is available.
    pub async fn start_with(url: &str, policy: Policy, chains: Chains) -> io::Result<Self> {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let shared = Arc::new(Shared {
            behind: url
                .trim_start_matches("http://")
                .trim_end_matches('/')
                .to_owned(),
            policy,
            chains,
            client: Client::builder(TokioExecutor::new()).build(connector),
            asked: Mutex::default(),
            cut: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        let server = Server::start(move |request| {
            let shared = Arc::clone(&serving);
            async move {
                let (parts, body) = request.into_parts();
                // A request that was sent lands, whether or not its sender is still alive; and
                // LocalStack never unlocks a key whose request was interrupted.
                let answer = tokio::spawn(async move { shared.answer_or_cut(parts, body).await });
                answer.await.expect("answering does not panic")
            }
        });
        Ok(Self {
            server: server.await?,
            shared,
        })
    }

    /// The proxy's address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// Cuts the function off at the request that follows `after` others; `kill` terminates its
    /// process, if the fault requires that.
    pub fn cut(&self, after: u64, injection: Injection, kill: impl FnOnce() + Send + 'static) {
        *self.shared.cut() = Some(Cut::new(after, injection, kill));
    }

    /// Cancels the pending cut; returns whether it was still pending.
    pub fn heal(&self) -> bool {
        self.shared.cut().take().is_some()
    }

    /// The requests so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().expect("no holder panics").clone()
    }

    /// Requests so far, by verb.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::of(self.shared.asked.lock().expect("no holder panics").iter())
    }

    /// The refused accesses, without duplicates.
    #[must_use]
    pub fn refused(&self) -> BTreeSet<String> {
        let asked = self.shared.asked.lock().expect("no holder panics");
        asked
            .iter()
            .filter_map(|asked| asked.refused.clone())
            .collect()
    }

    /// The requested actions.
    #[must_use]
    pub fn actions(&self) -> BTreeSet<String> {
        let asked = self.shared.asked.lock().expect("no holder panics");
        let accesses = asked.iter().flat_map(|asked| &asked.accesses);
        accesses.map(|access| access.action.clone()).collect()
    }
}

impl Shared {
    fn cut(&self) -> MutexGuard<'_, Option<Cut>> {
        self.cut.lock().expect("no holder panics")
    }

    /// The cut, if it applies to this request.
    fn struck(&self) -> Option<Cut> {
        let mut cut = self.cut();
        cut.as_mut()?.strikes().then(|| cut.take())?
    }

    /// Responds, or executes the cut.
    async fn answer_or_cut(&self, parts: Parts, body: Bytes) -> Answer {
        let Some(cut) = self.struck() else {
            return self.answer(parts, body).await;
        };
        if cut.lands() {
            self.answer(parts, body).await;
        }
        cut.fall();
        hang_up()
    }

    async fn answer(&self, parts: Parts, body: Bytes) -> Answer {
        let at = SystemTime::now();
        let note = |accesses, status: StatusCode, took, refused| {
            let status = status.as_u16();
            let asked = Asked {
                at,
                took,
                accesses,
                status,
                refused,
            };
            self.asked.lock().expect("no holder panics").push(asked);
        };
        let accesses = match accesses(&parts, &body) {
            Ok(accesses) => accesses,
            Err(unknown) => {
                let why = unknown.to_string();
                let answer = refusal(&parts, &why);
                note(Vec::new(), answer.status(), Duration::ZERO, Some(why));
                return answer;
            }
        };
        if let Some(why) = accesses.iter().find_map(|access| self.refusal(access)) {
            let answer = refusal(&parts, &why);
            note(accesses, answer.status(), Duration::ZERO, Some(why));
            return answer;
        }
        let begun = Instant::now();
        let head = (parts.method.clone(), parts.headers.clone());
        let answer = match self.forward(parts, body).await {
            Ok(answer) => answer,
            Err(why) => text(StatusCode::BAD_GATEWAY, &why),
        };
        let took = begun.elapsed();
        if answer.status() == StatusCode::NOT_FOUND
            && let Some(why) = self.hides(&accesses)
        {
            let mut request = Request::new(());
            (*request.method_mut(), *request.headers_mut()) = head;
            let answer = refusal(&request.into_parts().0, &why);
            note(accesses, answer.status(), took, Some(why));
            return answer;
        }
        note(accesses, answer.status(), took, None);
        answer
    }

    /// The reason for a refusal, if the request is not allowed.
    fn refusal(&self, access: &Access) -> Option<String> {
        let Access {
            action, resource, ..
        } = access;
        match self.policy.decide(access) {
            Decision::Allowed => None,
            Decision::Denied(sid) => Some(format!("{action} on {resource} is denied by {sid}")),
            Decision::NotAllowed => Some(format!("{action} on {resource} is not allowed")),
        }
    }

    /// The reason why the absence of an object must not be revealed, if there is one.
    fn hides(&self, accesses: &[Access]) -> Option<String> {
        let object = accesses
            .iter()
            .find(|access| access.action == "s3:GetObject")?;
        let bucket = object.resource.split('/').next().unwrap_or_default();
        let list = Access::new("s3:ListBucket", bucket);
        let why = self.refusal(&list)?;
        Some(format!("{} does not exist, and {why}", object.resource))
    }

    /// Records the lineage of what a request writes, before its notification can arrive.
    fn trace(&self, parts: &Parts, body: &[u8]) {
        let header = |name| parts.headers.get(name)?.to_str().ok();
        let lineage = header("x-amzn-trace-id").map(Lineage::of_header);
        let Some(lineage) = lineage.filter(|lineage| *lineage != Lineage::default()) else {
            return;
        };
        if header("x-amz-target").is_some() {
            let body: Value = serde_json::from_slice(body).unwrap_or_default();
            let entries = body["Entries"].as_array().into_iter().flatten();
            let bodies = [&body].into_iter().chain(entries);
            for text in bodies.filter_map(|one| one["MessageBody"].as_str()) {
                self.chains.message(text, lineage.clone());
            }
        } else if parts.method == Method::PUT {
            let path = percent_decode_str(parts.uri.path()).decode_utf8_lossy();
            self.chains.object(path.trim_start_matches('/'), lineage);
        }
    }

    async fn forward(&self, parts: Parts, body: Bytes) -> Result<Answer, String> {
        self.trace(&parts, &body);
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let uri: Uri = format!("http://{}{path}", self.behind)
            .parse()
            .map_err(|error| format!("{error}"))?;
        let mut request = Request::builder().method(parts.method).uri(uri);
        for (name, value) in &parts.headers {
            if name != CONNECTION && name != TRANSFER_ENCODING {
                request = request.header(name, value);
            }
        }
        let request = request
            .body(Full::new(body))
            .map_err(|error| error.to_string())?;
        let answer = self
            .client
            .request(request)
            .await
            .map_err(|error| format!("{error:?}"))?;
        let (mut parts, body) = answer.into_parts();
        parts.headers.remove(CONNECTION);
        parts.headers.remove(TRANSFER_ENCODING);
        let body = body.collect().await.map_err(|error| error.to_string())?;
        Ok(Response::from_parts(parts, Full::new(body.to_bytes())))
    }
}
