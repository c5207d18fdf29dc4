//! `with Timeout(..)`: how long an attempt may be silent.

use std::time::Duration;

use super::interpreter::Interpreter;
use super::target::MixedIn;
use crate::form::{ExprKind, Mixin};
use crate::program::Site;

/// Without a `Timeout`.
const SILENCE: Duration = Duration::from_secs(4 * 60 * 60);

impl<'r> Interpreter<'r> {
    /// The sum of the literal arguments of the last `Timeout` of the call or else of the signature.
    /// A sum of zero is no `Timeout`.
    pub(super) fn silence(
        &self,
        call: Option<(&'r [Mixin], &Site<'r>)>,
        signature: (&'r [Mixin], &Site<'r>),
    ) -> Duration {
        let of = |(mixins, site): (&'r [Mixin], &Site<'r>)| {
            let mut timeouts = mixins
                .iter()
                .filter(|mixin| matches!(self.mixed_in(mixin, site), MixedIn::Timeout));
            let sum = timeouts.next_back().map(sum);
            sum.filter(|silence| !silence.is_zero())
        };
        call.and_then(of)
            .or_else(|| of(signature))
            .unwrap_or(SILENCE)
    }
}

/// A longer time than a duration can have is the longest. What is no number was reported (W105).
fn sum(timeout: &Mixin) -> Duration {
    let each = timeout.args.iter().map(|arg| {
        let seconds = match arg.name.as_str() {
            "hours" => 3600.0,
            "minutes" => 60.0,
            "seconds" => 1.0,
            "ms" => 0.001,
            _ => return Duration::ZERO,
        };
        #[expect(clippy::cast_precision_loss, reason = "no time-out needs 53 bits")]
        let number = match arg.value.kind {
            ExprKind::Int { value } => value as f64,
            ExprKind::Double { value } => value,
            _ => return Duration::ZERO,
        };
        Duration::try_from_secs_f64(number * seconds).unwrap_or(Duration::MAX)
    });
    each.fold(Duration::ZERO, Duration::saturating_add)
}
