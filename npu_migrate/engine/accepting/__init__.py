"""What a team has accepted: comments in the code, which take findings out early, and the baseline file."""
