(render (loop $ever (br $ever)) unreachable)
