//! The mixins of a signature that run as steps.

use super::Fault;
use super::cell::Object;
use super::fault::first_of;
use super::initialize::SubStep;
use super::instance::{Instance, Progress};
use super::interpreter::Interpreter;
use super::schedule::gather;
use crate::states::State;
use crate::value::Value;

impl<'r> Interpreter<'r> {
    /// The mixins of the signature that have an alias, at the same time.
    pub(super) async fn mixins(
        &'r self,
        mixins: Vec<SubStep<'r>>,
        instance: &Instance<'r>,
        progress: &mut Progress<'r>,
    ) -> Result<(), Fault> {
        if mixins.is_empty() {
            return Ok(());
        }
        let place = &instance.place;
        self.enter(place, &[State::MixinBlocksBegin]);
        let (mut cells, mut running) = (Vec::new(), Vec::new());
        for mixin in mixins {
            let alias = mixin.alias;
            let sub_step = Instance::of_mixin(mixin, place);
            cells.push((alias, sub_step.cell()));
            running.push(self.instance(sub_step));
        }
        self.enter(place, &[State::MixinBlocksContinue]);
        let ends = gather(running).await;
        first_of(ends.into_iter().filter_map(Result::err))?;
        self.enter(place, &[State::MixinBlocksEnd, State::MixinCaptureBegin]);
        for (alias, cell) in cells {
            let values = cell.values();
            let mut object = Object::clone(&values.params);
            object.extend(values.returns.clone());
            let object = Value::from(object);
            progress.params.capture(alias, object.clone());
            progress.aliases.insert(alias.into(), object);
        }
        self.publish(instance, progress);
        self.enter(place, &[State::MixinCaptureEnd]);
        Ok(())
    }
}
