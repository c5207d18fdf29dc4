//! A queue of the server.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::DisplayErrorContext;
use aws_sdk_sqs::types::{
    DeleteMessageBatchRequestEntry, MessageSystemAttributeName, QueueAttributeName,
};

/// A queue's attributes by SQS's names, such as `VisibilityTimeout`.
pub type Attributes = BTreeMap<String, String>;

/// A queue.
#[derive(Debug, Clone)]
pub struct Queue {
    client: Client,
    /// Its name.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// Its ARN.
    pub arn: String,
}

/// A received message.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its id, which is the same at each receive.
    pub id: String,
    /// The receipt handle for its deletion.
    pub receipt: String,
    /// Its body.
    pub body: String,
    /// The body's MD5.
    pub md5: String,
    /// `ApproximateReceiveCount`, `SentTimestamp` and similar attributes.
    pub attributes: BTreeMap<String, String>,
}

/// The number of messages in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Depth {
    /// Available to be received.
    pub visible: u64,
    /// Received, and neither deleted nor visible again.
    pub in_flight: u64,
    /// Not yet due.
    pub delayed: u64,
}

impl Depth {
    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.visible + self.in_flight + self.delayed
    }
}

/// Panics with the server's full error.
macro_rules! answered {
    ($request:expr) => {
        match $request.send().await {
            Ok(answer) => answer,
            Err(error) => panic!("SQS refuses: {}", DisplayErrorContext(error)),
        }
    };
}

impl Queue {
    /// Creates a queue.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn create(client: &Client, name: &str, attributes: &Attributes) -> Self {
        let mut request = client.create_queue().queue_name(name);
        for (key, value) in attributes {
            request = request.attributes(QueueAttributeName::from(key.as_str()), value);
        }
        let url = answered!(request).queue_url.expect("a queue has a URL");
        Self {
            client: client.clone(),
            name: name.to_owned(),
            url,
            arn: format!("arn:aws:sqs:{}:{}:{name}", crate::REGION, crate::ACCOUNT),
        }
    }

    /// Sends a message, to be delivered after `delay`.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn send(&self, body: &str, delay: Duration) {
        let delay = i32::try_from(delay.as_secs()).expect("at most 15 minutes");
        let request = self
            .client
            .send_message()
            .queue_url(&self.url)
            .message_body(body);
        let _ = answered!(request.delay_seconds(delay));
    }

    /// Receives up to ten messages; waits for the first.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn receive(&self, most: usize, wait: Duration) -> Vec<Message> {
        let request = self.client.receive_message().queue_url(&self.url);
        let request = request
            .max_number_of_messages(i32::try_from(most.clamp(1, 10)).expect("at most ten"))
            .wait_time_seconds(i32::try_from(wait.as_secs()).expect("seconds"))
            .message_system_attribute_names(MessageSystemAttributeName::All);
        let answer = answered!(request);
        answer
            .messages
            .unwrap_or_default()
            .into_iter()
            .map(Message::from)
            .collect()
    }

    /// Deletes messages by their receipts.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn delete(&self, receipts: &[String]) {
        for some in receipts.chunks(10) {
            let mut request = self.client.delete_message_batch().queue_url(&self.url);
            for (index, receipt) in some.iter().enumerate() {
                let entry = DeleteMessageBatchRequestEntry::builder();
                let entry = entry.id(index.to_string()).receipt_handle(receipt).build();
                request = request.entries(entry.expect("id and receipt are there"));
            }
            let _ = answered!(request);
        }
    }

    /// The number of messages in it.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn depth(&self) -> Depth {
        let names = [
            QueueAttributeName::ApproximateNumberOfMessages,
            QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
            QueueAttributeName::ApproximateNumberOfMessagesDelayed,
        ];
        let request = self.client.get_queue_attributes().queue_url(&self.url);
        let answer = answered!(request.set_attribute_names(Some(names.to_vec())));
        let attributes = answer.attributes.unwrap_or_default();
        let [visible, in_flight, delayed] = names.map(|name| {
            attributes
                .get(&name)
                .and_then(|count| count.parse().ok())
                .unwrap_or(0)
        });
        Depth {
            visible,
            in_flight,
            delayed,
        }
    }
}

impl From<aws_sdk_sqs::types::Message> for Message {
    fn from(message: aws_sdk_sqs::types::Message) -> Self {
        let attributes = message.attributes.unwrap_or_default();
        let attributes = attributes
            .into_iter()
            .map(|(name, value)| (name.as_str().to_owned(), value));
        Self {
            id: message.message_id.unwrap_or_default(),
            receipt: message.receipt_handle.unwrap_or_default(),
            body: message.body.unwrap_or_default(),
            md5: message.md5_of_body.unwrap_or_default(),
            attributes: attributes.collect(),
        }
    }
}
