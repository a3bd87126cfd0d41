(execute (call $ok (string "\"\\ud800\"")))
