"""What a partitioned program communicates, holds and costs, and why."""
