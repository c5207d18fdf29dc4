//! Values of the application that steps use: connections, clients, configuration. They are not
//! stored: each process has its own.

use std::any::{Any, TypeId, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

/// A value of the application in a step: [`App::state`](crate::client::App::state) sets it. Cheap to
/// clone.
///
/// A step takes it as a parameter before its input, after the [`Attempt`](crate::Attempt) if it takes
/// one. Workflows cannot: their code must do the same in every process.
///
/// ```
/// use millpond::client::{App, Start};
/// use millpond::prelude::*;
/// use millpond_testing::World;
///
/// struct Rates {
///     percent: u64,
/// }
///
/// #[millpond::step]
/// async fn tax(rates: State<Rates>, cents: u64) -> Result<u64, StepError> {
///     Ok(cents * rates.percent / 100)
/// }
///
/// #[millpond::workflow]
/// async fn invoice(ctx: Context, cents: u64) -> Result<u64, Failed> {
///     Ok(cents + ctx.run::<tax>(&cents).await?)
/// }
///
/// let app = App::new().register::<invoice>().state(Rates { percent: 20 });
/// let world = World::new(app);
/// let eid = world.start(Start::of::<invoice>(&500)).eid;
/// world.run_all();
/// assert_eq!(world.result(eid), Ok(600_u64));
/// ```
pub struct State<T>(Arc<T>);

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A value may contain secrets.
        f.debug_tuple("State").field(&type_name::<T>()).finish()
    }
}

type Values = BTreeMap<TypeId, (&'static str, Arc<dyn Any + Send + Sync>)>;

/// The values of an application by type. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct States(Arc<RwLock<Values>>);

impl States {
    /// Sets the value of its type; returns whether it is the first one.
    pub(crate) fn set<T: Send + Sync + 'static>(&self, value: T) -> bool {
        let value: Arc<dyn Any + Send + Sync> = Arc::new(value);
        let named = (type_name::<T>(), value);
        // No code between two changes panics.
        let mut values = self.0.write().unwrap_or_else(PoisonError::into_inner);
        values.insert(TypeId::of::<T>(), named).is_none()
    }

    /// Returns the value of a type.
    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<State<T>> {
        let values = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (_, value) = values.get(&TypeId::of::<T>())?;
        Arc::clone(value).downcast().ok().map(State)
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.0.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_list()
            .entries(values.values().map(|(name, _)| name))
            .finish()
    }
}
