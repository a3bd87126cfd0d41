(execute (call $ok (string "1e400")))
