"""Short codes of real embeddings, compared with floats, sign bits and faiss.

    python benchmarks/embeddings.py --half labels [--sets banking77,clinc150,cifar10] [--bits 32]
    python benchmarks/embeddings.py --half recall [--sets wordnet,cifar10] [--bits 256]

The halves are measured by modules of their own, which say how: with labels, `embeddings_labels`;
without, `embeddings_recall`.
With --json FOLDER every run adds a line to FOLDER/embeddings-HALF.jsonl, and runs in that file are
not repeated: use an empty folder for new code. The documents are made from docs/results.
"""

import argparse
from pathlib import Path

import embeddings_labels
import embeddings_recall
from data import DATA
from results_file import Results

# each has SETS, BITS and run(set, bits, n_seeds, results, methods)
HALVES = {"labels": embeddings_labels, "recall": embeddings_recall}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--sets", help="some of the sets, by default all")
    parser.add_argument("--bits", help="some of the numbers of bits, by default all")
    parser.add_argument("--methods", help="some of the rows, by default all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="of runs to go on with")
    arguments = parser.parse_args()
    if not (DATA / "embeddings").is_dir():
        parser.error(f"HASHLEARN_DATA is not set or {DATA / 'embeddings'} is missing")
    for half in HALVES if arguments.half == "both" else [arguments.half]:
        module, file = HALVES[half], f"embeddings-{half}.jsonl"
        results = Results(arguments.json / file if arguments.json else None)
        all_bits = [int(b) for b in arguments.bits.split(",")] if arguments.bits else module.BITS
        for name in module.SETS:
            if not arguments.sets or name in arguments.sets.split(","):
                methods = arguments.methods.split(",") if arguments.methods else None
                module.run(name, all_bits, arguments.seeds, results, methods)


if __name__ == "__main__":
    main()
