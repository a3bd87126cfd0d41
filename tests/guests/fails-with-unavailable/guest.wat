(execute (call $error (i32.const 3) (string "it is so")))
