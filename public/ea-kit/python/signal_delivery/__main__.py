"""python3 -m signal_delivery scan"""

import sys

from . import main


def run() -> None:
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
