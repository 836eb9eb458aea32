"""Operator Lifecycle Manager classic (v0): subscriptions, their dependencies, and the preferred plan."""
