"""The `calibrated` rule of RSQ: words near the question, a deeper guarded tail, scripts by UTS #39."""
