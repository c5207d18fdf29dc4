//! What types promise.

use futures::FutureExt as _;
use futures::future::{BoxFuture, FusedFuture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prelude::*;
use crate::sdk::{Child, Receive, ReceiveTimeout, Sleep, Step, erase};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Order {
    cents: u64,
}

struct Pay;

impl Workflow for Pay {
    const NAME: &'static str = "pay";
    const VERSION: &'static str = "1";
    type Input = Order;
    type Output = bool;

    fn run(ctx: Context, input: Order) -> BoxFuture<'static, Result<bool, Failed>> {
        async move {
            let small: Child<bool> = ctx.child::<Pay>(Order { cents: 1 });
            ctx.spawn::<Pay>(Order { cents: 2 }).start()?;
            Ok(input.cents > 3 || small.await?)
        }
        .boxed()
    }
}

#[test]
fn an_erased_workflow_has_its_types() {
    let pay = erase::<Pay>();
    assert!(pay.input_type().ends_with("Order"));
    assert_eq!(pay.output_type(), "bool");
    assert_eq!(pay.input_schema()["properties"]["cents"]["type"], "integer");
    assert_eq!(pay.output_schema()["type"], "boolean");
    assert!(format!("{pay:?}").contains("Pay"));
}

#[test]
fn frames_go_into_join_select_and_sets_as_they_are() {
    fn frame<F: Future + FusedFuture + Unpin + Send + std::fmt::Debug>() {}
    fn shared<T: Clone + Send + Sync + 'static>() {}
    frame::<Step<Order>>();
    frame::<Receive<Order>>();
    frame::<ReceiveTimeout<Order>>();
    frame::<Sleep>();
    frame::<Child<Order>>();
    fn sent<T: Send>() {}
    sent::<crate::replay::Drive>();
    shared::<Context>();
    shared::<Attempt>();
}
