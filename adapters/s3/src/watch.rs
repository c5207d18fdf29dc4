//! Observes one request: whether it was sent, and the date of its response.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aws_sdk_s3::config::interceptors::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use aws_sdk_s3::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_s3::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use jiff::Timestamp;
use millpond_host::StoreTime;

use crate::retry_after::instant;

/// Observes one request when it is sent and when its response arrives.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    time: Arc<StoreTime>,
    sent: Arc<OnceLock<Duration>>,
}

impl Watch {
    pub(crate) fn new(time: &Arc<StoreTime>) -> Self {
        Self {
            time: Arc::clone(time),
            sent: Arc::default(),
        }
    }

    /// Whether the request reached the HTTP client. Before that the SDK finds credentials and
    /// signs.
    pub(crate) fn was_sent(&self) -> bool {
        self.sent.get().is_some()
    }

    /// Sets the clock from the date of a response that rejects our clock.
    pub(crate) fn refused(&self, date: &str) {
        if let Some(date) = instant(date) {
            self.time.refused(date);
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.time.now()
    }
}

#[dyn_dispatch_hint]
impl Intercept for Watch {
    fn name(&self) -> &'static str {
        "millpond::Watch"
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // Set once: a request is sent once.
        let _ = self.sent.set(self.time.monotonic());
        Ok(())
    }

    fn read_after_transmit(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let date = context.response().headers().get("date").and_then(instant);
        if let (Some(date), Some(sent)) = (date, self.sent.get()) {
            self.time.learn(date, *sent, self.time.monotonic());
        }
        Ok(())
    }
}
