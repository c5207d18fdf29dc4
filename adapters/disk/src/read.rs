//! Reading one object.

use std::fs;

use millpond::keys::Key;
use millpond::ports::Object;

use crate::fault::Trouble;
use crate::store::{Store, is_absent, version};

impl Store {
    /// The object's file as it is: whole, since it is only replaced by a rename (D1).
    pub(crate) fn read(&self, key: &Key) -> Result<Option<Object>, Trouble> {
        match fs::read(self.path(key)) {
            Ok(body) => Ok(Some(Object {
                version: version(&body),
                body: body.into(),
            })),
            Err(error) if is_absent(&error) => self.absent().map(|()| None),
            Err(error) => Err(self.trouble(error)),
        }
    }
}
