//! The work of event facets, which is done outside.

use std::sync::Arc;

use super::cell::Object;
use super::instance::{Instance, Progress};
use super::interpreter::Interpreter;
use super::{Call, Fault, prompt};
use crate::form::{Body, Facet};
use crate::program::Declared;
use crate::value::Value;

impl<'r> Interpreter<'r> {
    /// The work of an event facet, which is done outside.
    pub(super) async fn transmit(
        &'r self,
        facet: &Declared<'r, &'r Facet>,
        instance: &Instance<'r>,
        progress: &Progress<'r>,
    ) -> Result<Object, Fault> {
        let params = progress.params.all();
        let prompt = match &facet.decl.body {
            Body::Prompt(texts) => Some(prompt::fill(texts, &params, &instance.place)?),
            Body::Blocks(_) => None,
        };
        let statement = instance.statement.as_ref();
        let site = statement.map(|(_, env)| env.site());
        let of_call = statement.zip(site.as_deref());
        let of_call = of_call.map(|((step, _), site)| (step.call.mixins.as_slice(), site));
        let silence = self.silence(of_call, (&facet.decl.mixins, &facet.site));
        let call = Call {
            facet: facet.qualified(),
            params: Value::Object(params),
            prompt,
        };
        match self.host.transmit(&instance.place, call, silence).await? {
            Value::Object(returns) => Ok(Arc::unwrap_or_clone(returns)),
            other => {
                let message = format!("a handler returns an object, found {}", other.kind());
                Err(Fault::at(&instance.place, "InvalidReturns", message))
            }
        }
    }
}
