(review (call $value (string "{\22a\22:1,\22a\22:2}")))
