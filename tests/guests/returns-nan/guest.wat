(execute (call $ok (string "NaN")))
