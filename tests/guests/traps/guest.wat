(execute unreachable)
