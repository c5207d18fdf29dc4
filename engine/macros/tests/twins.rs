//! A marked function is called as before, and its twin is what the engine takes.
//!
//! This crate sees neither serde nor schemars, like one that depends on `millpond` only.

#![deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]

use futures::executor::block_on;
use millpond::{Attempt, Context, Failed, NamedStep, StepError, Workflow};

/// Adds with care.
#[millpond::workflow(name = "sum.all", version = "2-rc.1")]
pub async fn sum(ctx: Context, mut a: u32, b: Option<u32>) -> Result<u32, Failed> {
    let _ = ctx;
    a += b.unwrap_or_default();
    Ok(a)
}

#[millpond::workflow]
async fn bare(_ctx: Context) -> Result<(), Failed> {
    Ok(())
}

mod alias {
    pub(crate) type Result<T> = std::result::Result<T, millpond::Failed>;
}

#[millpond::workflow()]
async fn pair(_: Context, (a, b): (u32, String)) -> alias::Result<String> {
    Ok(format!("{a}{b}"))
}

#[millpond::step]
async fn double(n: u32) -> Result<u32, StepError> {
    Ok(n * 2)
}

#[millpond::step(name = "multiply")]
async fn product(_attempt: Attempt, a: u32, b: u32) -> Result<u32, std::num::ParseIntError> {
    Ok(a * b)
}

#[millpond::step]
async fn nothing() -> Result<(), StepError> {
    Ok(())
}

mod inner {
    use super::{Failed, StepError};

    /// Words that the generated code uses too.
    #[millpond::workflow]
    pub(crate) async fn input(
        ctx: millpond::Context,
        input: String,
        r#type: u8,
    ) -> Result<String, Failed> {
        let _ = ctx;
        Ok(format!("{input}{type}"))
    }

    #[millpond::workflow]
    pub(super) async fn ctx(_: millpond::Context, ctx: u8) -> Result<u8, Failed> {
        Ok(ctx)
    }

    #[millpond::step]
    pub(super) async fn r#try(attempt: u8, input: u8) -> Result<u8, StepError> {
        Ok(attempt + input)
    }
}

#[millpond::step]
#[cfg(any())]
async fn absent(of: Missing, and: Missing) -> Result<Missing, StepError> {
    Ok(of)
}

macro_rules! echo {
    ($name:ident, $of:ty) => {
        #[millpond::step]
        async fn $name(value: $of) -> Result<$of, StepError> {
            Ok(value)
        }
    };
}
echo!(echo, Vec<std::borrow::Cow<'static, str>>);

fn input_of<W: Workflow>(input: W::Input) -> (&'static str, &'static str, W::Input) {
    (W::NAME, W::VERSION, input)
}

/// That it compiles is the test: a context is given by the engine only.
#[allow(dead_code)]
async fn uses_functions(ctx: Context) -> Result<u32, Failed> {
    bare(ctx.clone()).await?;
    pair(ctx.clone(), (1, String::new())).await?;
    inner::ctx(ctx.clone(), 1).await?;
    inner::input(ctx.clone(), String::new(), 1).await?;
    ctx.call("double", double, &1).await?;
    sum(ctx, 1, Some(2)).await
}

/// That it compiles is the test.
#[allow(dead_code)]
async fn uses_twins(ctx: Context) -> Result<u32, Failed> {
    ctx.run::<nothing>(&()).await?;
    ctx.run::<inner::r#try>(&inner::TryInput {
        attempt: 1,
        input: 2,
    })
    .await?;
    let n = ctx.run::<product>(&ProductInput { a: 1, b: 2 }).await?;
    let n = ctx
        .run::<double>(&n)
        .timeout(std::time::Duration::from_secs(1))
        .await?;
    Ok(ctx.child::<sum>(SumInput { a: n, b: None }).await?)
}

#[test]
fn the_twin_carries_name_version_and_input() {
    let (name, version, input) = input_of::<sum>(SumInput { a: 1, b: None });
    assert_eq!(
        (name, version, input.a, input.b),
        ("sum.all", "2-rc.1", 1, None)
    );
    assert_eq!(input_of::<bare>(()), ("bare", "1", ()));
    let one = (1, "b".to_owned());
    assert_eq!(input_of::<pair>(one.clone()), ("pair", "1", one));
    assert_eq!(input_of::<inner::ctx>(3), ("ctx", "1", 3));
    let input = inner::InputInput {
        input: "a".into(),
        r#type: 1,
    };
    assert_eq!(
        input_of::<inner::input>(input.clone()).2.r#type,
        input.r#type
    );
}

#[test]
fn several_parameters_are_one_object_by_name() {
    let schema = millpond::sdk::erase::<sum>().input_schema();
    assert_eq!(schema["description"], "Input of the workflow `sum.all`.");
    assert_eq!(schema["properties"]["a"]["type"], "integer");
    assert_eq!(schema["required"].as_array().map(Vec::len), Some(1));
    assert_eq!(schema["required"][0], "a");
}

#[test]
fn a_marked_step_is_called_as_before() {
    assert_eq!(block_on(double(2)).expect("doubles"), 4);
    assert_eq!(block_on(inner::r#try(1, 2)).expect("adds"), 3);
    assert_eq!(block_on(echo(vec!["a".into()])).expect("echoes"), ["a"]);
    block_on(nothing()).expect("does nothing");
}

#[test]
fn a_step_is_named_by_its_twin() {
    let names = [
        double::NAME,
        product::NAME,
        nothing::NAME,
        inner::r#try::NAME,
        echo::NAME,
    ];
    assert_eq!(names, ["double", "multiply", "nothing", "try", "echo"]);
}

#[test]
fn a_twin_may_be_in_a_function() {
    #[millpond::step]
    async fn local(a: u8, b: u8) -> Result<u8, StepError> {
        Ok(a + b)
    }
    assert_eq!(local::NAME, "local");
    let LocalInput { a, b } = LocalInput { a: 1, b: 2 };
    assert_eq!(block_on(local(a, b)).expect("adds"), 3);
}
