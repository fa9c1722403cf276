"""Draw the pictures of README and of the user guide: python docs/pictures.py.

Also writes tables: of docs/results/tradeoffs.jsonl, the output of `python benchmarks/tradeoffs.py`,
into docs/guide/choosing.md, and of docs/results/embeddings-*.jsonl, that of `python
benchmarks/embeddings.py --json docs/results`, into docs/guide/embeddings.md and README.md, and of
docs/results/choosing.jsonl, that of `python benchmarks/choosing.py --json docs/results`, into
docs/guide/comparing.md.
"""

from pathlib import Path

import pictures_affinities
import pictures_choosing
import pictures_digits
import pictures_embeddings
import pictures_evaluation
import pictures_new_classes
import pictures_shares
import pictures_tradeoffs

IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Draw all pictures."""
    (IMAGES / "guide").mkdir(parents=True, exist_ok=True)
    pictures_digits.draw(IMAGES)
    pictures_affinities.draw(IMAGES / "guide")
    pictures_evaluation.draw(IMAGES / "guide")
    pictures_shares.draw(IMAGES / "guide")
    pictures_new_classes.draw(IMAGES / "guide")
    pictures_tradeoffs.write(IMAGES / "guide")
    pictures_embeddings.write(IMAGES / "guide")
    pictures_choosing.write(IMAGES / "guide")


if __name__ == "__main__":
    main()
