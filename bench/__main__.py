"""`python -m bench`. Processes that it starts import this file again, hence nothing else is imported here."""

from __future__ import annotations

if __name__ == "__main__":
    from bench.command import main

    main()
