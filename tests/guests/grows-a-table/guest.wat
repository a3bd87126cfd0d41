(table $t 0 funcref)
(execute (loop $more (drop (table.grow $t (ref.null func) (i32.const 10))) (br $more)) unreachable)
