(execute (call $error (i32.const 2) (string "DENIED: allow it with --mount /:rw")))
