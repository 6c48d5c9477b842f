"""Entry point of the command `ragsieve`: lazy subcommands, and errors as text with an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from ragsieve_core import __version__
from ragsieve_core.errors import EXIT_USAGE, RagsieveError, nearest

# name -> (module, attribute, help shown in the list). Modules load only when their command runs: `--help` stays fast.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "demo": ("app.cli.demo", "demo", "Ingest the example corpus, scan it, replay its questions, open the dashboard."),
    "ingest": ("app.cli.ingest", "ingest", "Take documents (and their embeddings) into a corpus."),
    "scan": ("app.cli.scan", "scan", "Run RSG over a snapshot and raise alerts."),
    "replay": ("app.cli.replay", "replay", "Run RSQ over stored rankings and raise alerts."),
    "compare": ("app.cli.compare", "compare", "Two versions over all stored queries: whose context differs."),
    "warm": ("app.cli.warm", "warm", "Compute the features of a corpus before anybody asks."),
    "query": ("app.cli.query", "query", "Ask one question: ranking, quarantine, RSQ, refilled context."),
    "gate-log": ("app.cli.gate_log", "gate_log", "Events of gates: list, export, reach of documents."),
    "label": ("app.cli.label", "label", "Take in labels or relevance judgements, for evaluation only."),
    "evaluate": ("app.cli.evaluate", "evaluate", "AUROC and detection per dataset, retriever, attack and detector."),
    "whatif": ("app.cli.whatif", "whatif", "What other thresholds would do, from stored scores."),
    "policy": ("app.cli.policy", "policy", "List, save, compare, approve and roll back thresholds per slice."),
    "overview": (
        "app.cli.overview",
        "overview",
        "Alerts by age, rates, decisions, reach, drift, gate and scan health.",
    ),
    "alerts": ("app.cli.alerts", "alerts", "List alerts: id, version, document, score, state."),
    "claim": ("app.cli.claim", "claim", "Hold an alert while you look at it."),
    "decide": ("app.cli.decide", "decide", "Give an alert a verdict."),
    "undo": ("app.cli.undo", "undo", "Take the last verdict on an alert back."),
    "redo": ("app.cli.redo", "redo", "Do again what was undone."),
    "reopen": ("app.cli.reopen", "reopen", "Make a decided alert undecided again."),
    "bulk": ("app.cli.bulk", "bulk", "One act on many alerts: preview, run, resume, undo."),
    "quarantine": ("app.cli.quarantine", "quarantine", "Propose, approve, compare and roll back versions; holds."),
    "canary": ("app.cli.canary", "canary", "Replay the stored queries that a quarantine version concerns."),
    "deliver": ("app.cli.deliver", "deliver", "Send the quarantine in force to an index, signed."),
    "check": ("app.cli.check", "check", "Statements of documents and people's checks of them."),
    "remediate": ("app.cli.remediate", "remediate", "What was done at the source of a document."),
    "blind": ("app.cli.blind", "blind", "Blind review: draws, answers, agreement, recall."),
    "roles": ("app.cli.roles", "roles", "Who may do what; changes that wait for a second admin."),
    "export": ("app.cli.export", "export", "Scores, decisions, quarantine, events, candidates or labels to a file."),
    "audit": ("app.cli.audit", "audit", "Verify the audit chain, keep its head outside, export it."),
    "corpus": ("app.cli.corpus", "corpus", "List corpora; set admission policy, trust and risk; admit documents."),
    "token": ("app.cli.token", "token", "Create, list and revoke tokens for programs."),
    "erase": ("app.cli.erase", "erase", "Erase a document's text, provenance and vectors on request."),
    "backup": ("app.cli.backup", "backup_command", "Copy the warehouse into a new folder, also while it is in use."),
    "restore": ("app.cli.restore", "restore_command", "Make a warehouse from a backup."),
    "compact": ("app.cli.compact", "compact_command", "Rewrite the file without the space that deletions left."),
    "gc": ("app.cli.gc", "gc_command", "Remove files that no row refers to."),
    "score-contexts": ("app.cli.score_contexts", "score_contexts", "RSQ on a file of rankings, no warehouse."),
    "score-corpus": ("app.cli.score_corpus", "score_corpus", "RSG on a file of documents, no warehouse."),
    "models": ("app.cli.models", "models", "List, prepare and verify model profiles."),
    "doctor": ("app.cli.doctor", "doctor", "Check versions, models, device, warehouse, lock and disk."),
    "serve": ("app.cli.serve", "serve", "Open the dashboard on a warehouse, or serve the request gate."),
}

INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Commands in the order of a working day."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Like click's, with the nearest valid name in the message."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}: {nearest(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ragsieve")
def cli() -> None:
    """RAGSieve: find documents that were planted to be retrieved.

    A flag is a triage signal. It never means "false" or "delete". Exit codes: 0 done, 1 finished with rejected
    records, 2 bad input or usage, 3 warehouse held by another process, 4 model not available.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; never shows a traceback for a user's mistake."""
    try:
        code = cli.main(arguments, prog_name="ragsieve", standalone_mode=False)
    except RagsieveError as error:
        click.echo(f"error: {error.render()}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: nothing half done was kept; run the same command again to go on", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): point stdout at nothing, so that Python's last flush is quiet
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_USAGE)
    sys.exit(code if isinstance(code, int) else 0)
