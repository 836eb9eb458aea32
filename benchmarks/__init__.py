"""Benchmarks: what they measure and where each figure comes from is said in README.md."""
