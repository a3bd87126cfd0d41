(present unreachable)
