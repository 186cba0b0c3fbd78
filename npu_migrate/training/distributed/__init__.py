"""Training on several devices.

`ranks` knows which values differ from rank to rank, `optimizers` who averages the gradients of all ranks,
`early_questions` who asks before the communication is there, `rank_runs` what only some ranks run.
"""
