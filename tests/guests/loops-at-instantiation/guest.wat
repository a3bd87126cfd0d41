(func $spin (loop $ever (br $ever)))
(start $spin)
