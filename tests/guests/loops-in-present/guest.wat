(present (loop $ever (br $ever)) unreachable)
