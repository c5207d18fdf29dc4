//! Errors and what becomes of them.

use std::fmt;

use crate::domain::{Failure, FrameId};
use crate::sdk::{Failed, FrameError, StepError};

#[derive(Debug, thiserror::Error)]
#[error("cannot pay")]
struct CannotPay {
    source: std::num::ParseIntError,
}

#[derive(Debug)]
struct Of<T>(T);

impl<T: fmt::Debug> fmt::Display for Of<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl<T: fmt::Debug> std::error::Error for Of<T> {}

fn cannot_pay() -> CannotPay {
    let source = "x".parse::<u8>().unwrap_err();
    CannotPay { source }
}

#[test]
fn any_error_becomes_one_with_the_short_name_of_its_type_and_its_causes() {
    let step = StepError::from(cannot_pay());
    assert_eq!(step.kind(), "CannotPay");
    assert_eq!(step.message(), "cannot pay: invalid digit found in string");
    let failed = Failed::from(cannot_pay());
    assert_eq!(
        (failed.kind(), failed.message()),
        (step.kind(), step.message())
    );
    assert_eq!(StepError::from(Of(vec![String::new()])).kind(), "Of");
}

#[test]
fn terminal_is_kept() {
    assert!(!Failure::from(StepError::new("A", "a")).terminal);
    assert!(Failure::from(StepError::new("A", "a").terminal()).terminal);
}

#[test]
fn a_frame_error_keeps_the_kind_of_what_failed() {
    let fid = FrameId::root();
    let failure = Failure::new("Declined", "no");
    let step = FrameError::StepFailed {
        fid: fid.clone(),
        failure: failure.clone(),
    };
    assert_eq!(Failed::from(step.clone()).kind(), "Declined");
    assert_eq!(StepError::from(step).kind(), "Declined");
    let child = FrameError::ChildFailed {
        fid: fid.clone(),
        failure,
    };
    assert_eq!(Failed::from(child).message(), "root: no");
    let cancelled = Failed::from(FrameError::Cancelled { fid: fid.clone() });
    assert!(cancelled.is_cancelled());
    assert_eq!(Failure::from(cancelled).kind, "cancelled");
    assert_eq!(
        Failed::from(FrameError::Duplicate { fid }).kind(),
        "DuplicateFrame"
    );
}
