(execute (call $ok (string "{\"a\":1,\"a\":2}")))
