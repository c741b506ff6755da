"""Conclusions from what is known: alerts, audit, review, plan matrix, allowances."""
