"""`python -m app.cli`: the command line without its console script."""

from app.cli.main import main

main()
