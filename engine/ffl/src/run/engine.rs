//! A program as workflows of an application: event facets are steps of the worker.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use millpond::client::App;
use millpond::{Attempt, Context, Failed, FrameError, Retry};

use super::{Call, Event, Executable, Fault, Handlers, Host, Place};
use crate::value::Value;

impl Executable {
    /// Adds the workflows of the program to an application: each under its qualified name, with the
    /// digest of the program as its version. Their event facets run as steps of the worker.
    ///
    /// ```
    /// use millpond::client::{App, Start};
    /// use millpond_ffl::json::{Detail, Document};
    /// use millpond_ffl::program::{SourceDigest, compile};
    /// use millpond_ffl::run::{Call, Executable, Handlers};
    /// use millpond_ffl::source::{Origin, Sources};
    /// use millpond_testing::World;
    /// use serde_json::json;
    ///
    /// let text = r#"namespace shop {
    ///     event facet Price(item: String) => (cents: Int)
    ///     workflow Order(item: String) => (total: Int) andThen {
    ///         p = Price(item = $.item)
    ///         yield Order(total = p.cents + 500)
    ///     }
    /// }"#;
    /// let mut sources = Sources::new();
    /// sources.add("shop.ffl", Origin::Primary, text)?;
    /// let program = compile(&sources, Detail::default()).expect("no errors").program;
    /// let program = Executable::new(Document::new(program, SourceDigest::of(&sources)));
    ///
    /// let price = |_: Call| async { Ok::<_, millpond::StepError>(json!({"cents": 1200})) };
    /// let handlers = Handlers::new().closure("shop.Price", price)?;
    /// let world = World::new(program.register(App::new(), handlers));
    /// let eid = world.start(Start::new("shop.Order").input(&json!({"item": "cup"}))).eid;
    /// world.run_all();
    /// assert_eq!(world.result(eid), Ok(json!({"total": 1700})));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn register(&self, app: App, handlers: Handlers) -> App {
        let handlers = Arc::new(handlers);
        self.workflows().into_iter().fold(app, |app, name| {
            let (program, handlers, workflow) = (self.clone(), Arc::clone(&handlers), name.clone());
            app.workflow(
                &name,
                self.digest(),
                move |ctx, input: serde_json::Value| {
                    let host = Worker {
                        ctx,
                        handlers: Arc::clone(&handlers),
                    };
                    let (program, workflow) = (program.clone(), workflow.clone());
                    async move {
                        let end = program.run(&workflow, &input, &host).await;
                        end.map(|returns| returns.to_json())
                            .map_err(|fault| failed(&fault))
                    }
                },
            )
        })
    }
}

/// The failure of the execution. It names the step: a failure has no field for that.
fn failed(fault: &Fault) -> Failed {
    let message = match fault.path.is_empty() || fault.is_cancelled() {
        true => fault.message.to_string(),
        false => format!("{}: step={}", fault.message, fault.path),
    };
    Failed::new(&*fault.kind, message)
}

/// A worker: it does the work of event facets itself.
struct Worker {
    ctx: Context,
    handlers: Arc<Handlers>,
}

impl Host for Worker {
    fn transmit(
        &self,
        place: &Place,
        call: Call,
        silence: Duration,
    ) -> BoxFuture<'_, Result<Value, Fault>> {
        let scopes = place.path().split('/');
        let ctx = scopes.fold(self.ctx.clone(), |ctx, scope| ctx.scope(scope));
        let handlers = Arc::clone(&self.handlers);
        let work = move |attempt: Attempt, call: Call| {
            let handlers = Arc::clone(&handlers);
            async move { handlers.run(attempt, call).await }
        };
        // An error of a handler is for the catch; attempts that a worker's end cut off are repeated.
        let step = ctx.call::<_, serde_json::Value, _>("do", work, &call);
        let step = step.retry(Retry::none()).timeout(silence);
        let place = place.clone();
        async move {
            let returns = step.await.map_err(|error| fault(error, &place))?;
            let returns = Value::from_json(&returns);
            returns.map_err(|limit| Fault::at(&place, "EvaluationError", limit))
        }
        .boxed()
    }

    fn observe(&self, _: &Place, _: Event<'_>) {}
}

fn fault(error: FrameError, place: &Place) -> Fault {
    match error {
        FrameError::StepFailed { failure, .. } => Fault::at(place, &failure.kind, failure.message),
        FrameError::Cancelled { .. } => Fault::cancelled(place.path()),
        other => {
            let failed = Failed::from(other);
            Fault::at(place, failed.kind(), failed.message())
        }
    }
}
