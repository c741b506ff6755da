"""Conclusions from what is known: findings, alerts, plan matrix, allowances."""
