(func $start (loop $ever (br $ever)))
(start $start)
