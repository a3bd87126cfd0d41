(execute (call $failed (string "DENIED\n\"}") (string "hm")))
