"""Parts of mixed codes: supervision, spreading, and the choices that "auto" makes."""
