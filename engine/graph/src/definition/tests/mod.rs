mod forms;
