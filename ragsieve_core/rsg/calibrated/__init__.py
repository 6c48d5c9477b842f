"""The `calibrated` rule of RSG: isolation of small groups in meaning, beyond what their wording explains."""
