(execute (call $ok (string "")))
