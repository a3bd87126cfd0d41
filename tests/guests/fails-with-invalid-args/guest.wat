(execute (call $error (i32.const 0) (string "it is so")))
