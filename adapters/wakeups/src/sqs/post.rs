//! The part of the SQS API that the sender needs.

use std::error::Error;
use std::fmt;

use async_trait::async_trait;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use millpond::client::chain;

/// One message to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its text.
    pub body: String,
    /// Delivery delay in seconds, 0 to 900.
    pub delay: i32,
}

/// Sends messages.
#[async_trait]
pub trait Post: fmt::Debug + Send + Sync + 'static {
    /// Sends up to ten messages in one request, and returns how many were not accepted.
    ///
    /// # Errors
    /// No message was accepted, or the accepted ones are unknown.
    async fn post(
        &self,
        url: &str,
        messages: &[Message],
    ) -> Result<usize, Box<dyn Error + Send + Sync>>;
}

#[async_trait]
impl Post for Client {
    async fn post(
        &self,
        url: &str,
        messages: &[Message],
    ) -> Result<usize, Box<dyn Error + Send + Sync>> {
        let mut entries = Vec::with_capacity(messages.len());
        for (number, message) in messages.iter().enumerate() {
            let entry = SendMessageBatchRequestEntry::builder()
                .id(number.to_string())
                .message_body(&message.body)
                .delay_seconds(message.delay)
                .build()?;
            entries.push(entry);
        }
        let answer = self
            .send_message_batch()
            .queue_url(url)
            .set_entries(Some(entries))
            .send()
            .await
            .map_err(|error| chain(&error))?;
        Ok(answer.failed().len())
    }
}
