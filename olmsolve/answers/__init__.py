"""Answers beyond a plan: explanations, questions, certificates and their verification, audits."""
