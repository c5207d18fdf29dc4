pub(crate) mod forms;
