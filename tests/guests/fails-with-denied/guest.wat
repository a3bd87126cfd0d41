(execute (call $error (i32.const 2) (string "it is so")))
