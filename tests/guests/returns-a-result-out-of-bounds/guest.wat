(execute (i32.const -16))
