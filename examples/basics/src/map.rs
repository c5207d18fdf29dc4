//! Many items, a few of them at a time.

use millpond::prelude::*;

/// Resizes images, two at a time, and returns the new names in the order of the old ones.
#[millpond::workflow]
pub async fn resize_all(ctx: Context, images: Vec<String>) -> Result<Vec<String>, Failed> {
    let each = ctx.map("image", images, |ctx, image| async move {
        let small = ctx.call("resize", resize, &image).await?;
        ctx.call("publish", publish, &small).await
    });
    // The first failure ends it; `all` would collect failures and results.
    Ok(each.width(2).try_all().await?)
}

async fn resize(image: String) -> Result<String, StepError> {
    match image.strip_suffix(".png") {
        Some(name) => Ok(format!("{name}-small.png")),
        None => Err(StepError::new("NoImage", image).terminal()),
    }
}

async fn publish(image: String) -> Result<String, StepError> {
    Ok(format!("/images/{image}"))
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Start};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn each_image_is_resized_and_the_first_failure_ends_the_rest() {
        let world = World::new(App::new().register::<resize_all>());
        let start = |images: [&str; 3]| {
            let images = images.map(str::to_owned).to_vec();
            world.start(Start::of::<resize_all>(&images)).eid
        };
        let (good, bad) = (
            start(["a.png", "b.png", "c.png"]),
            start(["a", "b.png", "c"]),
        );
        world.run_all();
        let published = ["a", "b", "c"].map(|name| format!("/images/{name}-small.png"));
        assert_eq!(world.result(good), Ok(published.to_vec()));
        let error = world.result::<Vec<String>>(bad).expect_err("a is no image");
        assert!(error.contains("NoImage"), "{error}");
    }
}
