"""What outlives a run: page snapshots, statistics history, the journal of writes."""
