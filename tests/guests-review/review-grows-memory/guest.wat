(review (loop $more (drop (memory.grow (i32.const 1))) (br $more)) unreachable)
