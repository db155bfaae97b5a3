"""The steps that were taken, and whoever watches them: logs, callbacks, streams."""
