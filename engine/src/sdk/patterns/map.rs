//! The same for each of many items, a number of them at a time.

use std::fmt;
use std::future::Future;

use futures::stream::{FuturesUnordered, StreamExt as _};

use crate::Context;

/// The number of items at a time, if none is given.
const WIDTH: usize = 16;

/// A function for each of many items: [`Context::map`] makes it, then [`all`](Self::all) or
/// [`try_all`](Self::try_all) runs it.
#[must_use = "nothing runs before `all` or `try_all`"]
pub struct Map<I, F> {
    ctx: Context,
    items: I,
    function: F,
    width: usize,
}

impl Context {
    /// Runs `function` for each item, at most a number of them at a time
    /// ([`width`](Map::width), 16 if it is not given). Its results are in the order of the items. It
    /// gets a context of its own, in which its frames are named below `name` and the number of the
    /// item, from 0: steps, children and waits, one after the other or together.
    ///
    /// N items cost O(N) requests: what begins together shares a commit, as it does otherwise.
    ///
    /// ```
    /// use millpond::client::{App, Start};
    /// use millpond::prelude::*;
    /// use millpond_testing::World;
    ///
    /// async fn double(n: u64) -> Result<u64, StepError> {
    ///     Ok(2 * n)
    /// }
    ///
    /// #[millpond::workflow]
    /// async fn doubles(ctx: Context, numbers: Vec<u64>) -> Result<Vec<u64>, Failed> {
    ///     let each = ctx.map("double", numbers, |ctx, n| async move {
    ///         ctx.call("step", double, &n).await
    ///     });
    ///     Ok(each.width(2).try_all().await?)
    /// }
    ///
    /// let world = World::new(App::new().register::<doubles>());
    /// let eid = world.start(Start::of::<doubles>(&vec![1, 2, 3])).eid;
    /// world.run_all();
    /// assert_eq!(world.result(eid), Ok(vec![2_u64, 4, 6]));
    /// ```
    pub fn map<I, F, Fut>(&self, name: &str, items: I, function: F) -> Map<I::IntoIter, F>
    where
        I: IntoIterator,
        F: FnMut(Context, I::Item) -> Fut,
        Fut: Future,
    {
        Map {
            ctx: self.scope(name),
            items: items.into_iter(),
            function,
            width: WIDTH,
        }
    }
}

impl<I, F> Map<I, F> {
    /// How many items are worked on at a time, at least 1.
    pub fn width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// Runs all of them, whether some fail or not, and returns what each of them returned.
    pub async fn all<R, Fut>(self) -> Vec<R>
    where
        I: Iterator,
        F: FnMut(Context, I::Item) -> Fut,
        Fut: Future<Output = R>,
    {
        let each = self.until(|_| false).await;
        each.into_iter().flatten().collect()
    }

    /// Runs them until one fails. Then no more begin, and those under way are dropped: their steps
    /// are aborted, and their waits end; a child continues until this execution ends.
    ///
    /// # Errors
    /// The first failure, by time.
    pub async fn try_all<T, E, Fut>(self) -> Result<Vec<T>, E>
    where
        I: Iterator,
        F: FnMut(Context, I::Item) -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let each = self.until(Result::is_err).await;
        let (mut values, mut failed) = (Vec::with_capacity(each.len()), None);
        for result in each.into_iter().flatten() {
            match result {
                Ok(value) => values.push(value),
                Err(error) => failed = Some(error), // the only one
            }
        }
        failed.map_or(Ok(values), Err)
    }

    /// Runs them until `last` accepts a result. The others then have none.
    async fn until<R, Fut>(mut self, last: impl Fn(&R) -> bool) -> Vec<Option<R>>
    where
        I: Iterator,
        F: FnMut(Context, I::Item) -> Fut,
        Fut: Future<Output = R>,
    {
        let (mut open, mut results) = (FuturesUnordered::new(), Vec::new());
        loop {
            while open.len() < self.width.max(1)
                && let Some(item) = self.items.next()
            {
                let at = results.len();
                results.push(None);
                let own = (self.function)(self.ctx.scope(&at.to_string()), item);
                open.push(async move { (at, own.await) });
            }
            let Some((at, result)) = open.next().await else {
                return results;
            };
            let over = last(&result);
            results[at] = Some(result);
            if over {
                return results;
            }
        }
    }
}

impl<I, F> fmt::Debug for Map<I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map")
            .field("ctx", &self.ctx)
            .field("width", &self.width)
            .finish_non_exhaustive()
    }
}
