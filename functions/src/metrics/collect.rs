//! The metrics, computed at each scrape.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use millpond::client::Engine;
use millpond::keys::Kind;
use millpond::ports::Verb;
use millpond_wrappers::{Metered, Tally};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::seen::Seen;

/// The sources of the metrics of one process.
#[derive(Debug, Clone)]
pub(crate) struct Meters {
    pub(crate) engine: Engine,
    pub(crate) metered: Arc<Metered>,
    pub(crate) seen: Seen,
}

impl Meters {
    /// All metrics in the text format of OpenMetrics.
    pub(super) fn text(&self) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.clone()));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)?;
        Ok(text)
    }

    /// Why the worker is not healthy: its polls fail.
    pub(super) fn trouble(&self) -> Option<String> {
        self.seen.sums().failing
    }
}

impl Collector for Meters {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut out = Out(encoder);
        let (counts, usage, sums) = (self.engine.counts(), self.metered.usage(), self.seen.sums());
        let host = &self.engine.core().host;
        let build = [
            ("worker", host.worker.as_str()),
            ("code_ref", host.code_ref.as_str()),
        ];
        out.gauges("build", "This worker and its build", [(build, 1.0)])?;
        out.counter("runs", "Runs that began", counts.runs)?;
        out.counter("attempts", "Attempts of steps that began", counts.attempts)?;
        out.counter("commits", "Commits that landed", counts.commits)?;
        let help = "Commits that another run's commit preceded";
        out.counter("conflicts", help, counts.conflicts)?;
        let ended = sums
            .ended
            .iter()
            .map(|(result, n)| ([("result", *result)], *n));
        out.counters("runs_ended", "Runs that ended, by their result", ended)?;
        #[expect(clippy::cast_precision_loss, reason = "a number of runs")]
        out.gauge("runs_in_progress", "Runs in progress", sums.running as f64)?;
        let now = self.engine.ports().clock.now();
        let oldest = sums.mail.iter().map(|(queue, oldest)| {
            let age = oldest.map_or(0.0, |at| age(at, now));
            ([("queue", queue.as_str())], age)
        });
        let help = "Age of the oldest message in the last poll, by queue";
        out.gauges("mail_oldest_seconds", help, oldest)?;
        let late = sums.timer.map_or(0.0, |due| age(due, now));
        let help = "How long the earliest timer had been due in the last poll";
        out.gauge("timer_late_seconds", help, late)?;
        let failing = f64::from(u8::from(sums.failing.is_some()));
        out.gauge("polls_failing", "1 while polls of the bucket fail", failing)?;
        let requests = |of: fn(&Tally) -> u64| {
            let rows = usage
                .rows()
                .map(move |(verb, kind, tally)| (labels(verb, kind), of(tally)));
            rows.filter(|(_, number)| *number > 0)
        };
        let help = "Requests to the bucket, by verb and kind of object";
        out.counters("requests", help, requests(|tally| tally.requests))?;
        let help = "Requests that the store throttled";
        out.counters(
            "requests_throttled",
            help,
            requests(|tally| tally.throttled),
        )?;
        let help = "Requests that failed otherwise, or whose reply was lost";
        let failed = |tally: &Tally| tally.failed + tally.unknown;
        out.counters("requests_failed", help, requests(failed))
    }
}

fn labels(verb: Verb, kind: Kind) -> Labels<'static, 2> {
    [("verb", verb.into()), ("kind", kind.as_str())]
}

fn age(at: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(at).as_secs_f64().max(0.0)
}

type Labels<'a, const N: usize> = [(&'a str, &'a str); N];

/// Encodes metrics whose names begin with `millpond_`.
struct Out<'a>(DescriptorEncoder<'a>);

impl Out<'_> {
    fn counter(&mut self, name: &str, help: &str, number: u64) -> fmt::Result {
        let name = format!("millpond_{name}");
        let metric = ConstCounter::new(number);
        metric.encode(
            self.0
                .encode_descriptor(&name, help, None, metric.metric_type())?,
        )
    }

    fn gauge(&mut self, name: &str, help: &str, number: f64) -> fmt::Result {
        let name = format!("millpond_{name}");
        let metric = ConstGauge::new(number);
        metric.encode(
            self.0
                .encode_descriptor(&name, help, None, metric.metric_type())?,
        )
    }

    fn counters<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        rows: impl IntoIterator<Item = (L, u64)>,
    ) -> fmt::Result {
        let name = format!("millpond_{name}");
        let kind = MetricType::Counter;
        let mut family = self.0.encode_descriptor(&name, help, None, kind)?;
        for (labels, number) in rows {
            ConstCounter::new(number).encode(family.encode_family(&labels)?)?;
        }
        Ok(())
    }

    fn gauges<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        rows: impl IntoIterator<Item = (L, f64)>,
    ) -> fmt::Result {
        let name = format!("millpond_{name}");
        let kind = MetricType::Gauge;
        let mut family = self.0.encode_descriptor(&name, help, None, kind)?;
        for (labels, number) in rows {
            ConstGauge::new(number).encode(family.encode_family(&labels)?)?;
        }
        Ok(())
    }
}
