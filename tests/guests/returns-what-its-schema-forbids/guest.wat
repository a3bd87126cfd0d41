(execute (call $ok (string "{\"n\":\"secret-7\"}")))
