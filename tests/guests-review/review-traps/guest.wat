(review unreachable)
