(execute (loop $ever (br $ever)) unreachable)
