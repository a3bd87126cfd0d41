(execute (call $error (i32.const 1) (string "there is none")))
