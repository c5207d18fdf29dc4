//! An application, its rules, and events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use millpond::client::App;
use millpond::domain::{ExecutionId, Text};
use millpond::prelude::*;
use millpond_testing::World;
use serde_json::{Value, json};

use super::super::{Fetched, Objects, ObjectsError, Report, Starter, starter};
use crate::events::{Event, ObjectEvent};
use crate::triggers::{Own, Rules, Secrets};

pub(super) async fn keep(_: Context, input: Value) -> Result<Value, Failed> {
    Ok(input)
}

pub(super) async fn count(_: Context, number: u64) -> Result<u64, Failed> {
    Ok(number)
}

pub(super) async fn listen(ctx: Context, _: Value) -> Result<Value, Failed> {
    Ok(ctx.receive("text").await?)
}

/// The first hundred payloads, in the order in which they are received.
pub(super) async fn listen_all(ctx: Context, _: Value) -> Result<Vec<u64>, Failed> {
    let mut receipts = Vec::new();
    while receipts.len() < 100 {
        receipts.push(ctx.receive("text").await?);
    }
    Ok(receipts)
}

pub(super) fn app() -> App {
    App::new()
        .workflow("listen_all", "1", listen_all)
        .workflow("keep", "1", keep)
        .workflow("count", "1", count)
        .workflow("listen", "1", listen)
}

/// Objects by bucket and key: entity tag and bytes.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    objects: Mutex<BTreeMap<String, (String, Bytes)>>,
    /// The number of reads that fail before one succeeds.
    pub(super) failing: Mutex<u32>,
}

impl Shelf {
    pub(super) fn put(&self, place: &str, etag: &str, bytes: &str) {
        let object = (etag.to_owned(), Bytes::from(bytes.to_owned()));
        self.objects
            .lock()
            .unwrap()
            .insert(place.to_owned(), object);
    }
}

#[async_trait]
impl Objects for Shelf {
    async fn read(&self, object: &ObjectEvent, most: usize) -> Result<Fetched, ObjectsError> {
        let (bucket, key) = (object.bucket.clone(), object.key.clone());
        let mut failing = self.failing.lock().unwrap();
        if *failing > 0 {
            *failing -= 1;
            let why = "no answer".to_owned();
            return Err(ObjectsError { bucket, key, why });
        }
        let objects = self.objects.lock().unwrap();
        Ok(match objects.get(&format!("{bucket}/{key}")) {
            None => Fetched::Gone,
            Some((etag, _)) if Some(etag) != object.etag.as_ref() => Fetched::Replaced,
            Some((_, bytes)) if bytes.len() > most => Fetched::TooLarge {
                bytes: u64::try_from(bytes.len()).unwrap(),
            },
            Some((_, bytes)) => Fetched::Whole(bytes.clone()),
        })
    }
}

/// A starter in a world of its own.
pub(super) struct Stand {
    pub(super) world: World,
    pub(super) shelf: Arc<Shelf>,
    pub(super) starter: Starter,
    rules: Rules,
}

impl Stand {
    pub(super) fn new(rules: &str) -> Self {
        let rules = Rules::parse(rules).unwrap_or_else(|error| panic!("{error}"));
        Self::over(World::new(app()), Arc::default(), rules)
    }

    /// The next process on the same bucket.
    pub(super) fn next(&self, seed: u64) -> Self {
        let world = self.world.beside(app(), "w2", seed);
        Self::over(world, Arc::clone(&self.shelf), self.rules.clone())
    }

    fn over(world: World, shelf: Arc<Shelf>, rules: Rules) -> Self {
        let own = Some(Own::new("pond", "state"));
        let secrets = Secrets::parse(r#"{"hub": "It's a Secret to Everybody"}"#).unwrap();
        let objects = Arc::clone(&shelf) as Arc<dyn Objects>;
        let engine = world.engine.clone();
        let starter = Starter::new(engine, rules.clone(), own, objects, secrets);
        Self {
            starter: starter.unwrap_or_else(|error| panic!("{error}")),
            world,
            shelf,
            rules,
        }
    }

    pub(super) fn handle(&self, event: Value) -> Report {
        let event = Event::read(event);
        self.world.block(starter(&self.starter, event, None))
    }

    pub(super) fn executions(&self) -> usize {
        let rows = self.world.memory.snapshot();
        let heads = rows
            .iter()
            .filter(|(key, _)| key.as_str().ends_with("/head"));
        heads.count()
    }

    /// The input of the execution with this key.
    pub(super) fn input(&self, key: &str) -> Value {
        let head: Value = self.world.head(eid(key)).get().unwrap();
        head["record"]["args"]["inline"].clone()
    }
}

pub(super) fn eid(key: &str) -> ExecutionId {
    ExecutionId::keyed(&Text::parse(key).unwrap(), 0)
}

/// One record of an S3 notification.
pub(super) fn record(name: &str, bucket: &str, key: &str, sequencer: &str) -> Value {
    json!({
        "eventVersion": "2.1", "eventSource": "aws:s3", "eventName": name,
        "s3": {
            "bucket": {"name": bucket},
            "object": {"key": key, "eTag": "tag", "sequencer": sequencer},
        },
    })
}

/// A message of SQS.
pub(super) fn message(id: &str, body: &Value) -> Value {
    let body = body
        .as_str()
        .map_or_else(|| body.to_string(), str::to_owned);
    let queue = "arn:aws:sqs:eu-central-1:123456789012:events";
    json!({"messageId": id, "body": body, "eventSource": "aws:sqs", "eventSourceARN": queue})
}

pub(super) fn batch(messages: &[Value]) -> Value {
    json!({ "Records": messages })
}

/// The ids of the messages to be redelivered.
pub(super) fn again(report: &Report) -> Vec<String> {
    let payload = report.payload().unwrap();
    let failures = payload["batchItemFailures"].as_array().unwrap();
    let ids = failures
        .iter()
        .map(|one| one["itemIdentifier"].as_str().unwrap());
    ids.map(str::to_owned).collect()
}
