"""Forms: fields, their inputs, what was typed."""
