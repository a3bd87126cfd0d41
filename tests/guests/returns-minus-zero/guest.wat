(execute (call $ok (string "[-0.0,0.0]")))
