(execute (call $ok (string "[1,1,1,1,1,1,1,1,1,1]")))
