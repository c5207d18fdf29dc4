//! Three children that run at the same time, on any workers.

use millpond::prelude::*;

/// Measures three texts in a child each, and adds their lengths.
#[millpond::workflow]
pub async fn total(ctx: Context, texts: [String; 3]) -> Result<usize, Failed> {
    let children = texts.into_iter().map(|text| ctx.child::<measure>(text));
    // In the order of the texts, whichever child ends first.
    let lengths = try_join_all(children).await?;
    Ok(lengths.into_iter().sum())
}

/// Measures one text. It is an execution of its own, with its own journal.
#[millpond::workflow]
pub async fn measure(ctx: Context, text: String) -> Result<usize, Failed> {
    Ok(ctx.call("length", length, &text).await?)
}

async fn length(text: String) -> Result<usize, StepError> {
    match text.len() {
        0 => Err(StepError::new("Empty", "there is nothing to measure").terminal()),
        length => Ok(length),
    }
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Start};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn the_parent_gets_the_results_of_three_children_or_the_failure_of_one() {
        let world = World::new(App::new().register::<total>().register::<measure>());
        let start = |texts: [&str; 3]| {
            world
                .start(Start::of::<total>(&texts.map(str::to_owned)))
                .eid
        };
        let (full, empty) = (start(["a", "bc", "def"]), start(["a", "", "def"]));
        world.run_all();
        assert_eq!(world.result(full), Ok(6_usize));
        let error = world.result::<usize>(empty).expect_err("one text is empty");
        assert!(error.contains("Empty"), "{error}");
    }
}
