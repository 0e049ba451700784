"""`python -m moveledger`."""

from moveledger.cli import main

if __name__ == "__main__":
    main(prog_name="moveledger")
