"""The limits of the desk in words: label and meaning by field of ``ReviewPolicy``."""

from __future__ import annotations

from typing import Final

LIMITS: Final = {
    "alone_contexts": ("Reach", "Answers whose context the text may have got into."),
    "alone_campaign": ("Campaign size", "Members its campaign may have."),
    "alone_tier": ("Risk tier", "Highest tier, 0 (never alone) to 3."),
    "alone_per_day": ("Documents a day", "Documents one person may put in force alone in 24 hours."),
    "claim_minutes": ("Claim, minutes", "How long a claim on an alert holds."),
    "release_days": ("Release, days", "How long a release sticks unless another number is given."),
    "realert_margin": ("Score margin", "Rise of the score, as a share of the threshold, that counts as new evidence."),
    "realert_members": ("New members", "Members that a campaign must gain to count as new evidence."),
    "hold_severity": ("Hold from severity", "Open alerts from here on are held until decided; above 100: none."),
    "hold_hours": ("Hold, hours", "How long such a hold lasts."),
    "sample_rate": ("Share of unflagged", "Drawn for blind review where no rate is given, 0 to 1."),
    "double_rate": ("Share of decided", "Drawn for a second, blind look where no rate is given, 0 to 1."),
}
