(review (loop $ever (br $ever)) unreachable)
