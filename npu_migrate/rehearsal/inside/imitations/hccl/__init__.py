"""An imitation of the collective communication for a process that is alone, or has RANK_ID and RANK_SIZE."""
