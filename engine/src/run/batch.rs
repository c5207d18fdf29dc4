//! Which messages of a page a run absorbs before it commits and lists the mailbox again.

use crate::domain::{Body, Class, Control, Mail, MessageId, Payload};
use crate::mailbox;
use crate::settings::Settings;

/// Chooses all control of the page and the oldest of the rest, in order of (`sent_at`, id); of the rest,
/// at most a batch, and at most `room` messages. Behind a terminate, nothing else is needed.
pub(super) fn choose<'a>(
    mails: impl Iterator<Item = &'a Mail>,
    mut room: usize,
    settings: &Settings,
) -> Vec<MessageId> {
    let mut mails: Vec<&Mail> = mails.collect();
    mails.sort_by(|a, b| mailbox::order(a).cmp(&mailbox::order(b)));
    let ends = ends(mails.iter().copied());
    let (mut count, mut bytes, mut closed) = (0, 0, ends);
    let mut takes = |mail: &&Mail| {
        let class = mail.mid.class();
        if class == Class::Control {
            return true;
        }
        if closed || class == Class::Message && room == 0 {
            return false;
        }
        bytes += size(mail);
        closed = count == settings.mailbox_batch.max(1)
            || count > 0 && bytes > settings.mailbox_batch_bytes as u64;
        if !closed {
            count += 1;
            room -= usize::from(class == Class::Message);
        }
        !closed
    };
    let batch = mails.into_iter().filter(|mail| takes(mail));
    batch.map(|mail| mail.mid.clone()).collect()
}

/// Returns whether one of these messages ends the execution without its code.
pub(super) fn ends<'a>(mut mails: impl Iterator<Item = &'a Mail>) -> bool {
    mails.any(|mail| matches!(mail.body, Body::Control(Control::Terminate { .. })))
}

/// Returns the value of a message.
pub(super) fn payload(mail: &Mail) -> Option<&Payload> {
    match &mail.body {
        Body::Message { payload, .. } => Some(payload),
        Body::Child {
            outcome: Ok(payload),
            ..
        } => Some(payload),
        _ => None,
    }
}

fn size(mail: &Mail) -> u64 {
    match payload(mail) {
        Some(Payload::Inline(json)) => json.as_str().len() as u64,
        Some(Payload::Blob { bytes, .. }) => *bytes,
        None => 0,
    }
}
