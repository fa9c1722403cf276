"""AdaBoost of stumps and of shallow trees, with the compiled loops of each."""
