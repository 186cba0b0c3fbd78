"""What earlier runs, or an earlier look of the same run, have found out: plans and facts that are kept."""
