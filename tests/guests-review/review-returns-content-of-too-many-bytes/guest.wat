(review (call $text (string "hello world")))
