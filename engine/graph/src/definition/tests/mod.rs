mod forms;

pub(crate) use forms::every_kind;
