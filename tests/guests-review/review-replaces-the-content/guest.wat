(review (call $text (string "nothing")))
