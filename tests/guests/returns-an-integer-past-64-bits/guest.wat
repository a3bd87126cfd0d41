(execute (call $ok (string "18446744073709551616")))
