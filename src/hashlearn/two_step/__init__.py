"""The two-step framework: Step 1 infers codes, Step 2 trains one classifier per bit."""

from hashlearn.two_step.hasher import TwoStepHasher

__all__ = ["TwoStepHasher"]
