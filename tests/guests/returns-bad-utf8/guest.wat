(execute (call $ok (string "\"\ff\"")))
