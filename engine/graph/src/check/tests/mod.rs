mod form;
