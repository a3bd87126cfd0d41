(execute (call $ok (string "{\"a\":1,\"\\u0061\":2}")))
