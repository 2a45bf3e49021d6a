"""A module per trainer: verl, trl, openrlhf, slime, skyrl, verifiers (prime-rl), nemo_rl, art, rllm, areal, tinker.

Each works on plain data and imports its trainer, if at all, where it is used. Each says how a quarantined sample and a
weight travel there and what cannot be expressed. What a sample is asked for by is in `samples`.

No module ever gives a number for an outage: it raises `Outage`, or what that trainer takes for "no result".
"""
