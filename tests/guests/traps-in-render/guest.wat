(render unreachable)
