(review (call $value (string "{\22a\22:")))
