(execute (call $error (i32.const 1) (string "it is so")))
