(execute (call $ok (string "{} {}")))
