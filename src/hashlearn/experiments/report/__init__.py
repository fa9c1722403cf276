"""Tables, figures and the report of the paper's experiments, from records of finished runs."""
